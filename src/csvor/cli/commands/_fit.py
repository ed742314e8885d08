"""`csvor fit`: a model file from a table."""

import json
from dataclasses import asdict

import numpy as np

from csvor._estimators.steps import fit_coded
from csvor.cli._files import check_output
from csvor.cli._model import Model, save_model
from csvor.cli._notes import Notes
from csvor.cli._options import DataOptions, ModelOptions
from csvor.cli._progress import progress
from csvor.cli._render import console, data_facts, model_fact, print_facts
from csvor.cli.commands._tune import tuned
from csvor.cli.input._prepare import prepare, refuse_large_exact_kernel


def run_fit(
    data: DataOptions, options: ModelOptions, model_path: str, as_json: bool, notes: Notes
) -> None:
    """Fit all rows and write the model."""
    check_output(model_path, "--model", [".skops"])
    work = prepare(data, options, notes)
    refuse_large_exact_kernel(options, len(work.target.rows))
    work = tuned(work, notes)
    with progress("Fitting"), notes.of_warnings():
        fit_coded(work.pipeline, work.frame, work.target.coded, work.weights)
        predicted = work.pipeline.predict(work.frame)
    error = float(np.mean(predicted != work.target.labels))
    model = Model(
        pipeline=work.pipeline,
        target=work.target.name,
        classes=work.target.classes,
        order=work.target.order,
        features=work.features,
        dropped=[*data.drop, *([data.weight] if data.weight is not None else [])],
        id=data.id,
        impute=options.impute,
        settings=asdict(options),
        groups=data.groups,
    )
    save_model(model_path, model)
    flagged = int(work.pipeline[-1].outliers_.sum())
    if as_json:
        document = {
            "command": "fit",
            **work.described(),
            "model": model_path,
            "training_error": error,
            "flagged": flagged,
            "notes": notes.texts(),
        }
        print(json.dumps(document, allow_nan=False))
        return
    cut = "1 was cut away as an outlier" if flagged == 1 else f"{flagged} were cut away as outliers"
    told = f"{error:.3f} of the training rows get another label; {cut}"
    facts = [*data_facts(work), model_fact(work), ("Fit", told), ("Written", model_path)]
    print_facts(console(), facts)
