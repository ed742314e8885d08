"""For which shells is completion installed?"""

from typing import Any

from csvor.cli._errors import OneLineGroup, UsageError

OPTIONS = {"--install-completion", "--show-completion"}
SHELLS = ("bash", "zsh", "fish", "powershell", "pwsh")


class CompletingGroup(OneLineGroup):
    """The group of all commands: completion is asked for in a shell that is known, or refused."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Look at the shell before typer does, which would install for a shell called None."""
        asked = OPTIONS.intersection(args)
        if asked and not ctx.resilient_parsing:
            _check_shell(asked.pop())
        parsed: list[str] = super().parse_args(ctx, args)
        return parsed


def _check_shell(option: str) -> None:
    import shellingham

    try:
        name = shellingham.detect_shell()[0]
    except shellingham.ShellDetectionFailure:
        name = ""
    if name not in SHELLS:
        found = f"{name} cannot be completed in" if name else "which shell started csvor is unclear"
        raise UsageError(
            f"{option}: {found}; start {', '.join(SHELLS[:-1])} or {SHELLS[-1]}, and call "
            f"csvor {option} in it"
        )
