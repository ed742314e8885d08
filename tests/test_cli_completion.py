"""`csvor --install-completion`, and what a shell is told."""

from pathlib import Path

import pytest
import shellingham
from typer.testing import CliRunner, Result

from csvor.cli.commands._app import app


def run(*args: str, **env: str) -> Result:
    return CliRunner(env=env).invoke(app, list(args))


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(Path, "home", lambda: tmp_path)
    return tmp_path


def in_shell(monkeypatch: pytest.MonkeyPatch, name: str | None) -> None:
    def detect() -> tuple[str, str]:
        if name is None:
            raise shellingham.ShellDetectionFailure
        return name, f"/bin/{name}"

    monkeypatch.setattr(shellingham, "detect_shell", detect)


@pytest.mark.parametrize(
    ("shell", "place"),
    [
        ("bash", ".bash_completions/csvor.sh"),
        ("zsh", ".zfunc/_csvor"),
        ("fish", ".config/fish/completions/csvor.fish"),
    ],
)
def test_completion_is_installed_and_shown(
    shell: str, place: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_shell(monkeypatch, shell)
    result = run("--install-completion")
    assert result.exit_code == 0, result.stderr
    assert f"{shell} completion installed in {home / place}" in result.stdout
    script = (home / place).read_text(encoding="utf-8")
    assert f"_CSVOR_COMPLETE=complete_{shell}" in script
    assert run("--show-completion").stdout.strip() == script.strip()


@pytest.mark.parametrize("option", ["--install-completion", "--show-completion"])
@pytest.mark.parametrize(
    ("shell", "found"),
    [
        (None, "which shell started csvor is unclear"),
        ("tcsh", "tcsh cannot be completed in"),
    ],
)
def test_a_shell_that_is_not_known_is_named(
    option: str, shell: str | None, found: str, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_shell(monkeypatch, shell)
    result = run(option)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == (
        f"csvor: error: {option}: {found}; start bash, zsh, fish, powershell or pwsh, and call "
        f"csvor {option} in it\n"
    )
    assert list(home.iterdir()) == []


@pytest.mark.parametrize(
    ("words", "at", "completed"),
    [
        ("csvor pred", 1, ["predict"]),
        ("csvor predict --pro", 2, ["--proba"]),
        ("csvor study st", 2, ["status"]),
        ("csvor fit none.csv --kernel s", 4, ["sigmoid"]),
    ],
)
def test_words_are_completed(words: str, at: int, completed: list[str]) -> None:
    env = {"_CSVOR_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(at)}
    result = run(**env)
    assert (result.exit_code, result.stdout.split()) == (0, completed)
