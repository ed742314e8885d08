"""Inputs that nobody planned for, and what every outcome has to be.

`problem(seed)` draws an estimator with its parameters, rows, labels and weights, each in some
container, plain or odd. `outcome` fits it: the answer is valid, or it is refused with a message of
ours. ``python tests/fuzz.py FIRST LAST`` runs many, and prints each message once.
"""

from __future__ import annotations

import re
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse
from sklearn.base import clone

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, OrdinalRegression, audit_scores

# What NumPy, SciPy, LAPACK, Numba and Python say where nobody checked before.
RAW = re.compile(
    r"broadcast|hessian|eigenvalue|did not converge|singular matrix|infs or NaNs|object is not|"
    r"object has no|has no attribute|not supported between|unsupported operand|ambiguous|"
    r"cannot reshape|out of bounds|overflow|invalid value|nopython|zero-size|not subscriptable|"
    r"could not convert|must be real number|loop of ufunc|list index|matmul|dtype is required",
    re.IGNORECASE,
)


@dataclass
class Problem:
    """An estimator, and what it is given."""

    model: Any
    X: Any
    y: Any
    weights: Any
    story: str

    def fit(self) -> Any:
        if self.weights is None:
            return clone(self.model).fit(self.X, self.y)
        return clone(self.model).fit(self.X, self.y, sample_weight=self.weights)


def problem(seed: int) -> Problem:
    """The same for the same seed."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(0, 6) if rng.random() < 0.06 else rng.integers(6, 50))
    d = int(rng.integers(0, 2) if rng.random() < 0.06 else rng.integers(1, 7))
    model = _model(rng)
    X, said = _rows(rng, n, d)
    y, of_labels, order = _labels(rng, X, n)
    if order is not None:
        model.set_params(classes=order)
    container, held = _contained(rng, X)
    weights, of_weights = _weights(rng, n)
    story = f"seed {seed}: {model!r}, {n} x {d} {said} {container}; y {of_labels}; {of_weights}"
    return Problem(model, held, y, weights, story)


def _pick(rng: np.random.Generator, *values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def _model(rng: np.random.Generator) -> Any:
    kind = _pick(rng, CSVOR, CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, OrdinalRegression)
    odd = rng.random() < 0.08
    if kind is OrdinalRegression:
        return OrdinalRegression(
            link=_pick(rng, "logit", "probit", "cloglog", "loglog", "cauchit"),
            wrong=_pick(rng, "auto", 0, 0.1, 0.4) if not odd else _pick(rng, -1, 2.0, "no", None),
            penalty=_pick(rng, 0.0, 0.0, 1.0, 1e-8, 1e6, 1e300),
        )
    model = kind(C=10.0 ** rng.uniform(-3, 3), max_iter=_pick(rng, 1, 20, 500), random_state=0)
    if rng.random() < 0.15:
        model.set_params(C=_pick(rng, 1e-300, 1e-30, 1e12, 1e100, 1e300))
    if rng.random() < 0.3:
        kernel = _pick(rng, "rbf", "poly", "sigmoid", "cosine", _inner)
        model.set_params(
            kernel=kernel, gamma=_pick(rng, "scale", "auto", 1e-12, 0.5, 1e12),
            n_components=_pick(rng, None, 1, 5, 1000), degree=_pick(rng, 0, 1, 2, 3.5),
        )  # fmt: skip
    if rng.random() < 0.15:
        model.set_params(class_weight=_pick(rng, "balanced", {1: 2.0}, {"a": -1.0}, {}))
    if rng.random() < 0.2:
        model.set_params(tol=_pick(rng, 0.0, 1e-12, 1e-2, 1.0))
    if kind is CSVOR:
        model.set_params(
            p=_pick(rng, 1.0, 1.0, 0.1, 0.5, 1.5, 2.0),
            loss=_pick(rng, "hinge", "hinge", "logistic", "exponential"),
            constraints=_pick(rng, "explicit", "implicit"),
            solver=_pick(rng, "newton", "newton", "multipliers", "alternating"),
            epsilon=_pick(rng, "auto", "auto", np.inf, 1.0, 3.0, 1e300),
            contamination=_pick(rng, 0.1, 0.0, 0.5),
        )  # fmt: skip
    if kind is PINSVOR:
        model.set_params(tau=_pick(rng, 0.5, 0.9, 0.1), form=_pick(rng, "paper", "code"))
    if odd:
        name = _pick(rng, *[name for name in kind().get_params() if name != "verbose"])
        value = _pick(rng, None, -1, 0, "x", np.nan, np.inf, [], {}, 1e400, True, 3.7, object())
        model.set_params(**{name: value})
    return model


def _inner(A: Any, B: Any) -> Any:
    return A @ B.T


def _rows(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, str]:
    X = rng.normal(size=(n, d))
    said = []
    if rng.random() < 0.3 and d:
        X *= 10.0 ** rng.uniform(-3, 3, size=d)
        said.append("mixed scales")
    if rng.random() < 0.12 and d:
        power = float(rng.choice([-320, -200, -100, 12, 100, 149, 160, 200, 307]))
        with np.errstate(over="ignore"):
            X[:, rng.integers(d)] *= 10.0**power
        said.append(f"1e{power:.0f}")
    if rng.random() < 0.1:
        X += 10.0 ** rng.uniform(0, 14)
        said.append("far off 0")
    if rng.random() < 0.2:
        X = np.round(X)
        said.append("rounded")
    if rng.random() < 0.1 and d > 1:
        X[:, 0] = X[:, -1]
        said.append("equal columns")
    if rng.random() < 0.1 and d:
        X[:, 0] = rng.choice([0.0, 1.0, 1e9])
        said.append("constant column")
    if rng.random() < 0.08 and n:
        X[:] = X[0]
        said.append("equal rows")
    if rng.random() < 0.04 and X.size:
        X.flat[rng.integers(X.size)] = rng.choice([np.nan, np.inf, -np.inf])
        said.append("not finite")
    return X, " ".join(said)


def _labels(rng: np.random.Generator, X: np.ndarray, n: int) -> tuple[Any, str, Any]:
    K = int(_pick(rng, 1, 2, 3, 3, 4, 4, 5, 5, 5, 6, 6, 9, 9, 40))
    with np.errstate(all="ignore"):
        score = X[:, 0] if X.shape[1] else np.zeros(n)
        score = np.nan_to_num(score / (np.abs(score).max(initial=0.0) or 1.0))
    noisy = score + rng.uniform(0, 1) * rng.normal(size=n)
    codes = np.digitize(noisy, np.sort(rng.normal(scale=0.5, size=K - 1)))
    if rng.random() < 0.15:
        codes = rng.integers(0, K, size=n)
    form = "int" if rng.random() < 0.4 else _pick(
        rng, "float", "text", "words", "ordered", "bool", "int8", "big", "far",
        "column", "list", "series", "polars", "enum", "object", "halves", "blank", "short", "mixed",
    )  # fmt: skip
    words = [f"w{k:02}" for k in range(K)]
    named = np.array(words)[codes]
    make = {
        "int": lambda: codes,
        "float": lambda: codes.astype(float),
        "text": lambda: codes.astype(str),
        "words": lambda: named,
        "ordered": lambda: pd.Series(pd.Categorical(named, words, ordered=True)),
        "bool": lambda: codes > 0,
        "int8": lambda: codes.astype(np.int8),
        "big": lambda: codes.astype(np.int64) + 2**62,
        "far": lambda: codes * 1e300,
        "column": lambda: codes[:, None],
        "list": codes.tolist,
        "series": lambda: pd.Series(codes, index=rng.permutation(n)),
        "polars": lambda: pl.Series(codes),
        "enum": lambda: pl.Series(named, dtype=pl.Enum(words)),
        "object": lambda: codes.astype(object),
        "halves": lambda: codes + 0.5,
        "blank": lambda: np.where(rng.random(n) < 0.05, np.nan, codes),
        "short": lambda: codes[:-1],
        "mixed": lambda: [*codes[1:].tolist(), "x"],
    }
    order = None
    if form == "words" and rng.random() < 0.8:
        order = words if rng.random() < 0.9 else words[:-1]
    return make[form](), f"{form} of {K}", order


def _weights(rng: np.random.Generator, n: int) -> tuple[Any, str]:
    form = "none" if rng.random() < 0.6 else _pick(
        rng, "uniform", "uniform", "zeros", "all zero", "negative", "nan",
        "huge", "tiny", "wide", "whole", "series", "short", "column", "text",
    )  # fmt: skip
    of = rng.exponential(size=n)
    make = {
        "none": lambda: None,
        "uniform": lambda: of,
        "zeros": lambda: of * (rng.random(n) < 0.7),
        "all zero": lambda: 0 * of,
        "negative": lambda: of - 0.5,
        "nan": lambda: np.where(rng.random(n) < 0.1, np.nan, of),
        "huge": lambda: of * 1e200,
        "tiny": lambda: of * 1e-200,
        "wide": lambda: of * 10.0 ** rng.uniform(-12, 12, size=n),
        "whole": lambda: np.round(3 * of).astype(int),
        "series": lambda: pd.Series(of),
        "short": lambda: of[:-1],
        "column": lambda: of[:, None],
        "text": lambda: of.astype(str),
    }
    return make[form](), f"weights {form}"


def _contained(rng: np.random.Generator, X: np.ndarray) -> tuple[str, Any]:
    form = _pick(
        rng, "array", "array", "array", "fortran", "float32", "int8", "list", "pandas", "polars",
        "arrow", "csr", "csc", "coo", "csr float32", "object", "strided", "read-only", "float16",
        "nullable",
    )  # fmt: skip
    names = [f"x{j}" for j in range(X.shape[1])]
    frame = {name: X[:, j] for j, name in enumerate(names)}
    read_only = X.copy()
    read_only.setflags(write=False)
    with np.errstate(all="ignore"):
        make = {
            "array": lambda: X,
            "fortran": lambda: np.asfortranarray(X),
            "float32": lambda: X.astype(np.float32),
            "float16": lambda: X.astype(np.float16),
            "int8": lambda: np.nan_to_num(X).clip(-100, 100).astype(np.int8),
            "list": X.tolist,
            "pandas": lambda: pd.DataFrame(frame, index=np.arange(len(X))[::-1]),
            "nullable": lambda: pd.DataFrame(frame).astype("Float64"),
            "polars": lambda: pl.DataFrame(frame),
            "arrow": lambda: pa.table(frame),
            "csr": lambda: sparse.csr_array(X),
            "csc": lambda: sparse.csc_matrix(X),
            "coo": lambda: sparse.coo_array(X),
            "csr float32": lambda: sparse.csr_matrix(X.astype(np.float32)),
            "object": lambda: X.astype(object),
            "strided": lambda: np.repeat(X, 2, axis=0)[::2],
            "read-only": lambda: read_only,
        }
        return form, make[form]()


def outcome(one: Problem) -> str:
    """Fit it; what is refused gives its message, what is fitted "fitted".

    Raises
    ------
    AssertionError
        If the answer is not valid, or the message is not one of ours.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)  # ConvergenceWarning is one of them
        try:
            model = one.fit()
        except (ValueError, TypeError) as error:
            message = str(error)
            assert message, f"{one.story}: nothing is said"
            assert not RAW.search(message), f"{one.story}: {message}"
            return message
        except Exception as error:
            raise AssertionError(f"{one.story}: {type(error).__name__}: {error}") from error
        try:
            check(model, one)
        except Exception as error:
            raise AssertionError(f"{one.story}: {type(error).__name__}: {error}") from error
    return "fitted"


def check(model: Any, one: Problem) -> None:
    """Hold that a fit is finite, its thresholds are ordered, and its answers are valid."""
    for name in ("coef_", "dual_coef_", "thresholds_", "objective_", "residuals_"):
        value = getattr(model, name, 0.0)
        assert np.isfinite(np.asarray(value, dtype=float)).all(), f"{name} is not finite"
    thresholds = np.asarray(model.thresholds_)
    assert (np.diff(thresholds) >= 0).all(), "thresholds fall"
    predicted = np.asarray(model.predict(one.X))
    assert set(predicted.tolist()) <= set(np.asarray(model.classes_).tolist()), "foreign class"
    if hasattr(model, "decision_function"):
        assert np.isfinite(np.asarray(model.decision_function(one.X))).all(), "score not finite"
    proba = np.asarray(model.predict_proba(one.X))
    assert proba.shape == (len(predicted), len(model.classes_)), "shape of probabilities"
    assert (proba >= 0).all(), "a probability is negative or no number"
    assert np.allclose(proba.sum(axis=1), 1.0, atol=1e-9), "probabilities do not sum to 1"


def audited(seed: int) -> str:
    """Audit held-out scores, margins or probabilities, plain or odd; as `outcome`."""
    rng = np.random.default_rng([seed, 1])
    n = int(rng.integers(0, 12) if rng.random() < 0.1 else rng.integers(12, 60))
    X, said = _rows(rng, n, 1)
    y, of_labels, order = _labels(rng, X, n)
    n_classes = len(np.unique(np.asarray(y, dtype=str)))
    forms = "scores", "scores", "margins", "probabilities", "probabilities"
    form = _pick(rng, *forms, "column", "other width", "logits")
    with np.errstate(all="ignore"):  # of the values that are drawn
        score = X[:, 0] + rng.normal(scale=0.3, size=n)
        margins = score[:, None] - np.sort(rng.normal(size=max(n_classes - 1, 1)))
        steps = 1.0 / (1.0 + np.exp(-margins))
    steps = np.column_stack([np.ones(n), steps, np.zeros(n)])
    with np.errstate(over="ignore"):
        scores = {
            "scores": score, "column": score[:, None], "margins": margins, "logits": 1e4 * margins,
            "probabilities": -np.diff(steps),
            "other width": margins[:, :1].repeat(n_classes + 2, 1),
        }[form]  # fmt: skip
    container, held = (f"array {said}", scores) if scores.ndim == 1 else _contained(rng, scores)
    weights, of_weights = _weights(rng, n)
    fdr = _pick(rng, None, 0.2, 1.0, 0.0, np.nan) if rng.random() < 0.2 else None
    raters = _pick(rng, *[None] * 9, rng.integers(0, 3, n), np.full(n, "a"), np.zeros(n + 1))
    story = f"seed {seed}: audit of {n} {form} {container}; y {of_labels}; {of_weights}; fdr {fdr}"
    options = {"classes": order, "sample_weight": weights, "raters": raters, "fdr": fdr}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            audit = audit_scores(held, y, **options)
            check_audit(audit, n)
        except (ValueError, TypeError) as error:
            message = str(error)
            assert message and not RAW.search(message), f"{story}: {message}"
            return message
        except Exception as error:
            raise AssertionError(f"{story}: {type(error).__name__}: {error}") from error
    return "fitted"


def check_audit(audit: Any, n: int) -> None:
    """Hold that an audit's answer is a valid one."""
    for name in ("probability", "suggested_probability"):
        value = np.asarray(getattr(audit, name))
        assert value.shape == (n,), name
        assert ((value >= 0) & (value <= 1)).all(), f"{name} is no probability"
    shares = audit.low, audit.share, audit.high
    assert 0.0 <= shares[0] <= shares[1] <= shares[2] <= 1.0, f"shares {shares}"
    flagged = np.asarray(audit.flagged)
    assert flagged.dtype == bool and flagged.shape == (n,), "flagged"
    classes = set(np.asarray(audit.classes).tolist())
    assert set(np.asarray(audit.suggested).tolist()) <= classes, "foreign suggestion"
    assert str(audit.summary), "no summary"


def try_all(outcome_of: Callable[[int], str], what_varies: str) -> None:
    """Try the seeds that the command line names; print each fault, and each kind of answer once.

    Answers that differ in what the pattern `what_varies` finds are of one kind.
    """
    first, last = map(int, sys.argv[1:3])
    answers: Counter[str] = Counter()
    example: dict[str, int] = {}
    faults = 0
    for seed in range(first, last):
        try:
            answer = outcome_of(seed)
        except AssertionError as error:
            faults += 1
            print("FAULT", error, flush=True)
            continue
        kind = re.sub(what_varies, "#", answer)[:200]
        answers[kind] += 1
        example.setdefault(kind, seed)
    for kind, n in answers.most_common():
        print(f"{n:6} {kind}   [seed {example[kind]}]")
    print(f"{last - first} inputs, {faults} faults")
    sys.exit(int(faults > 0))


if __name__ == "__main__":
    of_fits = sys.argv[3:] != ["audits"]
    try_all(lambda seed: outcome(problem(seed)) if of_fits else audited(seed), r"[-+]?\d[\d.e+-]*")
