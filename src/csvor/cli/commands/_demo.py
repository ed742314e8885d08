"""`csvor demo`: an audit of records whose wrong labels are known."""

import shlex
import warnings
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from csvor import LabelAudit
from csvor._faults.errors import refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor._utils.spelling import as_number
from csvor.cli._files import write_table
from csvor.cli._notes import warnings_as_notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import check_output_folder
from csvor.cli._progress import progress
from csvor.cli._render import Fact, console, data_facts, print_facts, print_suspects
from csvor.cli.commands._audit import audit_file, chosen_fact
from csvor.cli.commands._demo_data import Graded, bridges, bundled, with_wrong_labels
from csvor.cli.input._prepare import Prepared

SHOWN = 10
_TRUTH = b"row,given,true,wrong\n"


def run_demo(name: str | None, out: str, noise: float, seed: int, notes: Notes) -> None:
    """Make records, spoil some labels, audit them and say how many were found."""
    rng = np.random.default_rng(seed)
    graded = bridges(rng) if name is None else bundled(name)
    labels, wrong = with_wrong_labels(graded, noise, rng)
    if not wrong.any():
        refuse("no-noise", noise=noise, total=len(labels))
    records = _write(Path(out), graded, labels, wrong)
    data = DataOptions(str(records), graded.target, classes=graded.declared, id=graded.id)
    audited_rows, audit = audit_file(data, ModelOptions(seed=seed), notes)
    prepared, rows = audited_rows.prepared, audited_rows.listed(audit)
    flagged = rows.pop("flagged")
    rows["true label"] = [str(graded.truth[row - 1]) for row in rows["row"]]
    rows["flagged"] = flagged

    screen = console()
    spoilt = ("Changed", str(fault("spoilt", n=wrong.sum(), total=len(labels))))
    print_facts(screen, [*data_facts(prepared), spoilt, chosen_fact(prepared, audit)])
    print_suspects(screen, rows, SHOWN, audit.ordered_by)
    with progress("Comparing"), warnings_as_notes(notes):
        truth_facts = _truth_facts(prepared, audit, graded, wrong)
    files = f"{records} and {records.with_name('truth.csv')}"
    command = ["csvor", "audit", str(records), "--target", graded.target]
    command += ["--classes", graded.declared] if graded.declared else []
    command += ["--id", graded.id] if graded.id else []
    command += ["--suspects", str(records.with_name("suspects.csv"))]
    command += ["--report", str(records.with_name("report.html"))]
    print_facts(screen, [("Answer", audit.summary), *truth_facts, ("Written", files)])
    screen.print(f"\nNext: {shlex.join(command)}", soft_wrap=True)


def _write(
    folder: Path, graded: Graded, labels: NDArray[np.str_], wrong: NDArray[np.bool_]
) -> Path:
    """The records as an auditor gets them, and the truth beside them."""
    check_output_folder(str(folder), "--out")
    folder.mkdir(parents=True, exist_ok=True)
    records, known = folder / "records.csv", folder / "truth.csv"
    is_demo = known.is_file() and known.read_bytes().startswith(_TRUTH)
    for path in (records, known):
        if path.exists() and not is_demo:  # files of somebody else (N88)
            refuse("demo-over-files", out=folder, file=path.name)
    write_table(str(records), {**graded.columns, graded.target: labels.tolist()})
    truth = {
        "row": range(1, len(labels) + 1),
        "given": labels.tolist(),
        "true": graded.truth.tolist(),
        "wrong": wrong.tolist(),
    }
    write_table(str(known), truth)
    return records


def _truth_facts(
    prepared: Prepared, audit: LabelAudit, graded: Graded, wrong: NDArray[np.bool_]
) -> list[Fact]:
    """How many wrong labels the order and the flags found, and what the cap is good for."""
    m = int(wrong.sum())
    top = int(wrong[audit.order[:m]].sum())
    hits, flags = int((wrong & audit.flagged).sum()), int(audit.flagged.sum())
    uncapped = clone(audit.model).set_params(model__epsilon=np.inf)
    with warnings.catch_warnings():  # what the model to compare with lacks is nobody's concern
        warnings.simplefilter("ignore")
        uncapped.fit(prepared.frame, prepared.target.labels)
    truth = graded.truth
    if graded.declared is None:
        truth = np.array([as_number(label) for label in truth])
    errors = []
    for model in (audit.model, uncapped):
        predicted = model.predict(prepared.frame)
        if graded.declared is None:
            predicted = predicted.astype(float)
        errors.append(float(np.mean(predicted != truth)))
    return [
        ("Ranking", f"{top} of the {m} most suspect rows are wrong ({m} are wrong in all)"),
        (
            "Flags",
            f"{hits} of the {flags} flagged rows are wrong (precision {hits / max(flags, 1):.2f}, "
            f"recall {hits / m:.2f})",
        ),
        (
            "Error",
            f"{errors[0]:.3f} of the predictions differ from the true labels; {errors[1]:.3f} "
            "without the cap (epsilon=inf)",
        ),
    ]
