"""Can coefficients be told from these rows: are columns apart, and does none separate classes?"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr
from scipy.optimize import linprog
from scipy.sparse import csr_array

from csvor._parts.engine import random_and_far_rows, sums, take
from csvor._regression.likelihood import Model, Rows, blocks
from csvor._regression.terms import Terms
from csvor._utils.warn import warn
from csvor._utils.words import all_of

Array = NDArray[np.float64]

# Of the squared distance of a column from the others, by its own: below it they are collinear.
_COLLINEAR = 1e-10
# Of an eigenvalue of the information, by parameters of information 1: below it there is none.
_FLAT = 1e-9
# Where the logarithm of the odds changes by so much over a column's spread, separation is looked
# for, and taken for granted; in as many rows.
_SUSPECT, _SURE = 8.0, 40.0
_MOST_ROWS = 20_000
# And in about so many that are far off in a column: a rare level may be in no other.
_FAR_ROWS = 5_000
# Beyond so many standard deviations from 0 a search by the effect on the scale loses its way.
_OFF_CENTRE = 50.0
# Labels that are right: with fewer, a class is lost.
_LEFT = 0.5


class SeparationError(ValueError):
    """A combination of columns separates the classes: no finite coefficient is the most likely."""


def check_columns(model: Model, rows: Rows, n_rows: int, penalised: bool) -> None:
    """Refuse columns whose coefficients the rows cannot tell.

    Raises
    ------
    ValueError
        If a column is constant, or a sum of others, or there are fewer rows than columns.
    """
    names = model.terms.names
    constant = [names[j] for j in np.flatnonzero(model.factor == 0.0)]
    if constant:
        raise ValueError(
            f"{_columns(constant, 'has', 'have')} the same value in all rows: the thresholds are "
            f"the intercepts of this model. Leave {'it' if len(constant) == 1 else 'them'} out."
        )
    scale = list(model.terms.scale)
    for j in np.compress(np.abs(model.center * model.factor)[scale] > _OFF_CENTRE, scale):
        warn(
            f"Column {names[j]!r} in scale lies more than {_OFF_CENTRE:g} standard deviations "
            "from 0, where the spread is that of the thresholds: subtract its mean, or estimates "
            "are imprecise."
        )
    if penalised:
        return
    if n_rows <= model.factor.size + model.terms.n_cuts:
        raise ValueError(
            f"X has {n_rows} rows and {model.factor.size} columns, which with "
            f"{model.terms.n_cuts} thresholds is no fewer parameters than rows. Leave columns "
            "out, or give a ridge, such as penalty=1.0."
        )
    (gram,) = sums(partial(_gram, model), rows.X, rows.weights)
    for columns in ((*model.terms.nominal, *model.terms.location), model.terms.scale):
        _refuse_collinear(gram, list(columns), names)


def _refuse_collinear(gram: Array, columns: list[int], names: Sequence[str]) -> None:
    """Refuse columns with one use that add up to each other; a scale may repeat the location."""
    if not columns:
        return
    gram = gram[np.ix_(columns, columns)]
    spread = np.sqrt(np.diag(gram))
    _, R, order = qr(gram / np.outer(spread, spread), pivoting=True)
    left = np.abs(np.diag(R))
    rank = int(np.sum(left > _COLLINEAR * left[0]))
    if rank < order.size:
        basis, last = order[:rank], order[rank]
        weight = np.linalg.lstsq(gram[np.ix_(basis, basis)], gram[basis, last], rcond=None)[0]
        of = [names[columns[j]] for j, w in zip(basis, weight, strict=True) if abs(w) > 1e-6]
        raise ValueError(
            f"Column {names[columns[last]]!r} of X is a sum of multiples of {_quoted(of)}: their "
            "coefficients cannot be separated. Leave one of them out, or give a ridge, such as "
            "penalty=1.0."
        )


def refuse_flat(model: Model, information: Array) -> None:
    """Refuse parameters of which many values are as likely as where a search ended.

    Raises
    ------
    ValueError
        If there is a direction in which the likelihood does not fall, and none separates classes.
    """
    size = np.sqrt(np.diag(information).clip(min=np.finfo(float).tiny))
    values, vectors = np.linalg.eigh(information / np.outer(size, size))
    if values[0] > _FLAT or is_steep(model, _SUSPECT):
        return
    along = np.abs(vectors[:, 0] / size)
    named = {
        model.terms.names[j]: None
        for j, effect in zip(model.terms.columns, along, strict=True)
        if j is not None and effect > 1e-3 * along.max()
    }
    raise ValueError(
        f"{_columns(list(named), 'has', 'have')} effects that cannot be separated: many values of "
        "them are as likely as each other. Take a column out of nominal or scale, or give a ridge, "
        "such as penalty=1.0."
    )


def _quoted(names: list[str]) -> str:
    shown = [repr(name) for name in names[:8]]
    return all_of([*shown, f"{len(names) - 8} more"] if len(names) > 8 else shown, " and ")


def _gram(model: Model, X: Any, weights: Array) -> tuple[Array]:
    total = np.zeros((model.factor.size, model.factor.size))
    for block in blocks(X.shape[0], model):
        scaled = (X[block] - model.center) * model.factor
        total += (weights[block, None] * scaled).T @ scaled
    return (total,)


def warn_of_lost_classes(terms: Terms, rows: Rows, mass: Array, right: Any) -> None:
    """Warn where a fit takes all labels of a class to be wrong, and so has no class left."""
    (kept,) = sums(partial(_kept, terms.n_cuts + 1), rows.codes, rows.weights, right)
    # Weights may be less than rows.
    lost = [terms.classes[k] for k in np.flatnonzero(kept < _LEFT * np.minimum(mass, 1.0))]
    if lost:
        warn(
            f"All labels {_quoted(lost)} are taken to be wrong ones: the thresholds about that "
            "class cannot be estimated. Merge it with a class beside it, or say how many labels "
            "are wrong, such as wrong=0."
        )


def _kept(n_classes: int, codes: Any, weights: Array, right: Array) -> tuple[Array]:
    return (np.bincount(codes, weights * right, n_classes).astype(np.float64),)


def is_steep(model: Model, beyond: float = _SURE) -> bool:
    """Whether odds grow by so much over the spread of a column that classes are separated."""
    effects = np.abs(model.theta[model.terms.n_cuts : model.terms.slices["scale"].start])
    return bool(effects.max(initial=0.0) > beyond)


def refuse_separation(model: Model, rows: Rows, right: Any, peaked: bool) -> None:
    """Refuse a fit whose coefficients grow without end.

    Parameters
    ----------
    model : Model
        Where the search ended.
    rows : Rows
    right : array-like of shape (n,)
        The probability that a label is right; the others separate nothing.
    peaked : bool
        Whether the likelihood falls there in all directions.

    Raises
    ------
    SeparationError
        If a combination of columns puts all rows that count into the order of their classes.
    """
    if peaked and not is_steep(model, _SUSPECT):
        return
    some = random_and_far_rows(rows.X, model.center, _MOST_ROWS, _FAR_ROWS)
    X, codes, weights, chance = take(some, rows.X, rows.codes, rows.weights, right)
    there = weights > 0
    counts = there & (chance > 0.5)
    direction = separating(model, X[counts], codes[counts])
    if direction is None:
        return
    wrong = int(np.sum(there & ~counts))
    besides, remedies = "", "merge classes or levels, or give a ridge, such as penalty=1.0"
    if wrong and separating(model, X[there], codes[there]) is None:
        besides = f" (but for {wrong} rows whose labels are probably wrong)"
        remedies = (
            "merge classes or levels, give a ridge, such as penalty=1.0, or say how many labels "
            "are wrong, such as wrong=0"
        )
    raise SeparationError(
        f"{_columns(direction, 'separates', 'separate')} classes without an exception{besides}: no "
        f"finite coefficient is the most likely one. Leave {'it' if len(direction) == 1 else 'one'}"
        f" out, {remedies}."
    )


def _columns(names: list[str], verb: str, verb_of_many: str) -> str:
    """The columns as a subject, with its verb."""
    if len(names) == 1:
        return f"Column {_quoted(names)} of X {verb}"
    return f"Columns {_quoted(names)} of X {verb_of_many}"


def separating(model: Model, X: Array, codes: NDArray[np.integer]) -> list[str] | None:
    """The columns of a direction in which no row's likelihood falls, and some rise for ever.

    A linear programme: with ``s`` the change of thresholds minus predictor at the upper threshold
    of a row's class (and less that at the lower one), the greatest sum of s, all in [0, 1].
    """
    terms, q = model.terms, model.terms.n_cuts
    x, z, _ = model.columns(X)
    upper, lower = np.flatnonzero(codes < q), np.flatnonzero(codes > 0)
    parts = [(upper, codes[upper], 1.0), (lower, codes[lower] - 1, -1.0)]
    A = np.vstack([_change(x[at], z[at], cuts, q, sign) for at, cuts, sign in parts])
    end = q * (1 + len(terms.nominal))
    places = {j: range(q * k, q * k + q) for k, j in enumerate(terms.nominal, 1)}
    places |= {j: range(end + i, end + i + 1) for i, j in enumerate(terms.location)}
    direction = _rising(A)
    if direction is None:
        return None
    size = {j: float(np.abs(direction[at]).max()) for j, at in places.items()}
    most = max(size.values(), default=0.0)
    if most <= 1e-9:
        return None
    named = [j for j, s in size.items() if s > 1e-3 * most]
    alone = (j for j in named if _rising(A[:, [*range(q), *places[j]]]) is not None)
    one = next(alone, None) if len(named) > 1 else None
    return [terms.names[j] for j in (named if one is None else [one])]


def _rising(A: Array) -> Array | None:
    """Changes of the parameters by which no row of ``A`` falls, and some rise; None if none do."""
    n, p = A.shape
    both: Any = csr_array(np.vstack([A, -A]))
    most_rise = np.concatenate([np.ones(n), np.zeros(n)])
    solution: Any = linprog(-A.sum(axis=0), both, most_rise, bounds=[(-1e4, 1e4)] * p)
    return solution.x if solution.success and -solution.fun >= 1e-6 * n else None


def _change(x: Array, z: Array, cuts: NDArray[np.integer], q: int, sign: float) -> Array:
    """Of ``sign (c + z g - x b)`` at one threshold a row, by the parameters."""
    at = np.eye(q)[cuts]
    return sign * np.hstack([*(at * column[:, None] for column in z.T), -x])
