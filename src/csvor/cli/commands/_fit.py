"""`csvor fit`: a model file from a table."""

import json
from dataclasses import asdict
from typing import Any

import numpy as np

from csvor._estimators.steps import fit_coded
from csvor.cli._coefficients import coefficients_of, encodings_of, thresholds_of
from csvor.cli._model import Model, save_model
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli._record import Record, now, versions
from csvor.cli._render import console, data_facts, fitted_parameters, model_fact, print_facts
from csvor.cli._score import print_coefficients, score_facts
from csvor.cli.commands._tune import tuned
from csvor.cli.input._prepare import Prepared, prepare, refuse_large_exact_kernel


def run_fit(
    data: DataOptions, options: ModelOptions, model_path: str, as_json: bool, notes: Notes
) -> None:
    """Fit all rows and write the model."""
    if data.dask is None:
        work, error, flagged = _fitted_here(data, options, notes)
    else:
        from csvor.cli.commands._fit_parts import fitted_in_parts

        work, error, flagged = fitted_in_parts(data, options, notes)
    document = _document(work, error, flagged, notes)
    cut = "1 was cut away as an outlier" if flagged == 1 else f"{flagged} were cut away as outliers"
    told = f"{error:.3f} of the training rows get another label; {cut}"
    facts = [*data_facts(work), model_fact(work), ("Fit", told)]
    # Which rows are in conflict is nothing of the model.
    kept = {name: value for name, value in document.items() if name != "conflicts"}
    record = Record(now(), versions(), asdict(work.features), kept, facts)
    save_model(model_path, Model(work.pipeline, record))
    if as_json:
        print(json.dumps({"command": "fit", "model": model_path, **document}, allow_nan=False))
        return
    out = console()
    print_facts(out, [*facts, *score_facts(document)])
    print_coefficients(out, document["coefficients"])
    print_facts(out, [("Written", model_path)])


def _fitted_here(
    data: DataOptions, options: ModelOptions, notes: Notes
) -> tuple[Prepared, float, int]:
    """What was fitted, the share of the rows with another label, and how many were cut away."""
    work = prepare(data, options, notes)
    refuse_large_exact_kernel(options, work.target.n_rows)
    work = tuned(work, notes)
    with progress("Fitting"), notes.of_warnings():
        fit_coded(work.pipeline, work.frame, work.target.coded, work.weights)
        predicted = work.pipeline.predict(work.frame)
    error = float(np.mean(predicted != work.target.labels))
    return work, error, int(work.pipeline[-1].outliers_.sum())


def _document(work: Prepared, error: float, flagged: int, notes: Notes) -> dict[str, Any]:
    model = work.pipeline[-1]
    return {
        **work.described(),
        "missing_labels": list(work.data.missing_label),
        "method": type(model).__name__,
        "parameters": {**model.get_params(), "classes": work.target.classes},
        "fit": fitted_parameters(model),
        "training_error": error,
        "flagged": flagged,
        "encodings": encodings_of(work.pipeline),
        "coefficients": coefficients_of(work.pipeline),
        "thresholds": thresholds_of(model),
        "notes": notes.texts(),
    }
