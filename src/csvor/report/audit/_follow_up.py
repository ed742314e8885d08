"""What comes after a review: which commands, or calls in Python, and which files do they name?"""

from __future__ import annotations

import os
from pathlib import Path
from shlex import quote
from typing import Any

from csvor._utils.file_kinds import EDITED
from csvor.audit import LabelAudit, WrongLabels


def _place(source: str) -> tuple[Path, str, str]:
    """The folder that a source lies in, its name, and the ending, which a folder has not."""
    whole = Path(os.path.abspath(source))
    name, ending = (whole.name, "") if whole.is_dir() else (whole.stem, whole.suffix)
    return Path(os.path.normpath(Path(source, ".."))), name, ending


def decisions_file(source: str) -> str:
    """The name of the file that the page saves."""
    return f"{_place(source)[1] if source else 'audit'}-decisions.csv"


def editable(source: str) -> str:
    """The file that is edited: the one audited, or what it is to be saved as first."""
    place = Path(source)
    is_edited = not source or place.suffix.lower() in EDITED or place.is_dir()
    return source if is_edited else str(Path(source).with_suffix(".csv"))


def commands(source: str) -> tuple[str, str]:
    """What to do with the decisions: carry them out, or audit again."""
    decisions = decisions_file(source)
    return apply_command(decisions, source), f"--reviewed {quote(decisions)}"


def apply_command(decisions: str, source: str) -> str:
    """The command that carries decisions out; DATA stands for a source that is unknown."""
    edited = editable(source)
    folder, name, ending = _place(edited)
    clean = folder / f"{name}-clean{ending}" if source else "clean.csv"
    data = quote(str(Path(edited))) if source else "DATA"
    return f"csvor apply {quote(decisions)} {data} --out {quote(str(clean))}"


def calls(audit: WrongLabels, X: Any, target: str) -> tuple[str, str]:
    """The same in Python, where no file was audited."""
    decisions = f'"{decisions_file("")}"'
    apply = f"applied = audit.apply(csvor.read_decisions({decisions}))"
    if audit._table is not None:
        return apply, f'csvor.audit_table(frame, target="{target}", reviewed={decisions})'
    data = "audit_labels(X" if isinstance(audit, LabelAudit) else "audit_scores(scores"
    rows = f"{data}{'.iloc' * hasattr(X, 'iloc')}[applied.rows], applied.labels"
    return apply, f"csvor.{rows}, confirmed=applied.confirmed, original=applied.original)"
