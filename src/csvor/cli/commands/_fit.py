"""`csvor fit`: a model file from a table."""

from dataclasses import asdict
from typing import Any

from csvor._faults.errors import refuse
from csvor._faults.fault import fault
from csvor._faults.notes import Notes
from csvor.cli._coefficients import coefficients_of, encodings_of, thresholds_of
from csvor.cli._model import StoredModel, save_model
from csvor.cli._notes import warnings_as_notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._paths import refuse_layout
from csvor.cli._progress import progress
from csvor.cli._record import Record, now, versions
from csvor.cli._render import console, data_facts, fitted_parameters, model_fact, print_facts
from csvor.cli._score import print_coefficients, score_facts
from csvor.cli._streams import print_json
from csvor.cli.commands._rows import rows_of
from csvor.cli.commands._tune import tuned
from csvor.cli.input._prepare import Prepared, refuse_large_exact_kernel


def run_fit(
    data: DataOptions, options: ModelOptions, model_path: str, as_json: bool, notes: Notes
) -> None:
    """Fit all rows and write the model."""
    if data.dask is not None:
        if options.kernel not in {None, "linear"}:  # what no pass over pieces can follow
            refuse("dask-kernel", kernel=options.kernel)
        if options.tune:
            refuse("dask-tune")
        refuse_layout(data.data, data.delimiter, data.sheet)
    with rows_of(data, options, notes) as rows:
        if data.dask is None:
            refuse_large_exact_kernel(options, rows.n_rows)
        prepared = tuned(rows.prepared, notes)
        with progress("Fitting"), warnings_as_notes(notes):
            error, flagged = rows.fit()
    document = _document(prepared, error, flagged, notes)
    outcome = ("Fit", str(fault("fitted", n=flagged, error=error)))
    facts = [*data_facts(prepared), model_fact(prepared), outcome]
    # Which rows are in conflict is nothing of the model.
    stored = {name: value for name, value in document.items() if name != "conflicts"}
    record = Record(now(), versions(), asdict(prepared.features), stored, facts)
    save_model(model_path, StoredModel(prepared.pipeline, record))
    if as_json:
        print_json("fit", {"model": model_path, **document})
        return
    out = console()
    print_facts(out, [*facts, *score_facts(document)])
    print_coefficients(out, document["coefficients"])
    print_facts(out, [("Written", model_path)])


def _document(prepared: Prepared, error: float, flagged: int, notes: Notes) -> dict[str, Any]:
    model = prepared.pipeline[-1]
    return {
        **prepared.described(),
        "missing_labels": list(prepared.data.missing_label),
        "method": type(model).__name__,
        "parameters": {**model.get_params(), "classes": prepared.target.classes},
        "fit": fitted_parameters(model),
        "training_error": error,
        "flagged": flagged,
        "encodings": encodings_of(prepared.pipeline),
        "coefficients": coefficients_of(prepared.pipeline),
        "thresholds": thresholds_of(model),
        "notes": notes.texts(),
    }
