"""How is a regression fitted anew with effects added, or left out?"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from csvor._regression.fit import Fitting
from csvor._regression.optimum import Optimum
from csvor._regression.terms import Terms

Array = NDArray[np.float64]


def _but(columns: tuple[int, ...], others: Iterable[int]) -> tuple[int, ...]:
    return tuple(j for j in columns if j not in set(others))


def with_nominal(terms: Terms, columns: tuple[int, ...]) -> Terms:
    """Effects of these columns on each threshold, in place of one coefficient."""
    new = _but(columns, terms.nominal)
    return replace(terms, location=_but(terms.location, new), nominal=(*terms.nominal, *new))


def with_scale(terms: Terms, columns: tuple[int, ...]) -> Terms:
    """Effects of these columns on the spread besides."""
    return replace(terms, scale=(*terms.scale, *_but(columns, terms.scale)))


def without(terms: Terms, columns: tuple[int, ...]) -> Terms:
    """No effect of these columns of any kind."""
    location, nominal, scale = (
        _but(kept, columns) for kept in (terms.location, terms.nominal, terms.scale)
    )
    return replace(terms, location=location, nominal=nominal, scale=scale)


def refitted(fitting: Fitting, best: Optimum, terms: Terms, share_known: bool) -> Optimum:
    """The greatest likelihood with other terms, from the parameters of those that there are."""
    wrong, held = terms.slices["wrong"], np.zeros(terms.size, dtype=bool)
    held[wrong] = share_known
    search, start = fitting.search(terms, held), _carried(best.model.terms, best.model.theta, terms)
    end = search.maximise(fitting.model(terms, start))
    if share_known or not terms.channels:
        return end
    # With many effects there may be no wrong labels left, and thresholds that cross in between.
    start[wrong], held = 0.0, held.copy()
    held[wrong] = True
    without_share = fitting.search(terms, held).maximise(fitting.model(terms, start))
    return max(end, without_share, key=lambda one: one.value)


def _carried(terms: Terms, theta: Array, new: Terms) -> Array:
    """Parameters of new terms at which the model is the same, but for effects that are left out."""
    q, start = terms.n_cuts, np.zeros(new.size)
    known = dict(zip(terms.nominal, terms.part(theta, "nominal").reshape(-1, q), strict=True))
    moves = dict(zip(terms.location, terms.part(theta, "location"), strict=True))
    spreads = dict(zip(terms.scale, terms.part(theta, "scale"), strict=True))
    nominal = [known.get(j, np.full(q, -moves.get(j, 0.0))) for j in new.nominal]
    start[new.slices["thresholds"]] = terms.part(theta, "thresholds")
    start[new.slices["nominal"]] = np.ravel(nominal)
    start[new.slices["location"]] = [moves.get(j, 0.0) for j in new.location]
    start[new.slices["scale"]] = [spreads.get(j, 0.0) for j in new.scale]
    start[new.slices["wrong"]] = terms.part(theta, "wrong")
    return start
