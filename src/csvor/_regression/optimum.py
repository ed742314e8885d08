"""At which parameters is the likelihood of a cumulative link model greatest?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize

from csvor._regression.likelihood import Model, Rows, log_likelihood
from csvor._regression.terms import Terms

Array = NDArray[np.float64]

# Gradient of the mean log-likelihood, by columns of spread 1.
_OPTIONS: Any = {
    "gtol": 1e-9, "maxiter": 200, "initial_trust_radius": 2.0, "max_trust_radius": 100.0,
}  # fmt: skip
# Of a curvature, by the greatest: less may be that of a coefficient without end.
_PEAK = 1e-6
# A model of which more labels are wrong says nothing.
_MOST_WRONG = 0.9
# A share below it is none.
LEAST_SHARE = 1e-6


def _nth(terms: Callable[[Array], tuple[Any, ...]], i: int, point: Array) -> Any:
    return terms(point)[i]


def most_wrong(terms: Terms) -> float:
    """The greatest share: with more to any class, labels would say of a class that it is not."""
    return min(_MOST_WRONG, terms.n_cuts / (terms.n_cuts + 1))


@dataclass(frozen=True, eq=False)
class Optimum:
    """Where a search ended.

    Attributes
    ----------
    model : Model
        At the parameters of greatest likelihood.
    value : float
        The penalised log-likelihood.
    information : ndarray of shape (n_parameters, n_parameters)
        Minus its Hessian.
    converged : bool
    n_iter : int
    """

    model: Model
    value: float
    information: Array
    converged: bool
    n_iter: int

    @property
    def peaked(self) -> bool:
        """Whether the search ended where the likelihood falls in all directions."""
        curves = np.linalg.eigvalsh(self.information)
        return self.converged and bool(curves[0] > _PEAK * curves[-1])


@dataclass(frozen=True, eq=False)
class Search:
    """The penalised likelihood of rows, of which some parameters may be held.

    Attributes
    ----------
    rows : Rows
    mass : float
        The sum of their weights.
    ridge : ndarray of shape (n_parameters,)
        The factors of half the squares in the penalty.
    held : ndarray of shape (n_parameters,), bool
        The parameters that stay as they are.
    """

    rows: Rows
    mass: float
    ridge: Array
    held: NDArray[np.bool_]

    def terms_at(self, model: Model, order: int) -> tuple[Any, ...]:
        """The penalised log-likelihood with its derivatives, up to an order."""
        theta = model.theta
        value, *slopes = log_likelihood(model, self.rows, order)
        value -= 0.5 * float(self.ridge @ theta**2)
        if order > 0:
            slopes[0] = slopes[0] - self.ridge * theta
        if order > 1:
            slopes[1] = slopes[1] - np.diag(self.ridge)
        return value, *slopes

    def maximise(self, start: Model) -> Optimum:
        """The local optimum that a start leads to, shares searched by their roots.

        The likelihood then is smooth where a share is 0, and Newton's steps get there.
        """
        free, wrong = ~self.held, start.terms.slices["wrong"]
        known: dict[bytes, tuple[Any, ...]] = {}

        def model_at(point: Array) -> Model:
            theta = start.theta.copy()
            theta[free] = point
            theta[wrong] = np.where(free[wrong], theta[wrong] ** 2, theta[wrong])
            return replace(start, theta=theta)

        def at(point: Array) -> tuple[Any, ...]:
            if point.tobytes() not in known:
                known.clear()
                model = model_at(point)
                natural = self.terms_at(model, 2)
                roots = point[point.size - free[wrong].sum() :]
                by_roots = self._by_roots(model, natural, roots, free)
                known[point.tobytes()] = *by_roots, natural
            return known[point.tobytes()]

        begin = start.theta.copy()
        begin[wrong] = np.where(free[wrong], np.sqrt(begin[wrong]), begin[wrong])
        value, slope, curve = (partial(_nth, at, i) for i in range(3))
        ended: Any = minimize(
            value, begin[free], jac=slope, hess=curve, method="trust-exact", options=_OPTIONS
        )
        natural = at(ended.x)[-1]
        return self._ended(model_at(ended.x), natural, int(ended.nit), bool(ended.success))

    def _by_roots(
        self, model: Model, natural: tuple[Any, ...], roots: Array, free: NDArray[np.bool_]
    ) -> tuple[float, Array, Array]:
        """Minus the mean, and its derivatives by the free parameters, shares by their roots."""
        wrong = model.terms.slices["wrong"]
        value, slope, curve = natural
        if model.theta[wrong].sum() > most_wrong(model.terms) or not np.isfinite(curve).all():
            return np.inf, np.zeros(free.sum()), np.eye(int(free.sum()))
        turn = np.ones(model.theta.size)
        turn[wrong] = 2.0 * roots if roots.size else 1.0
        curve = curve * np.outer(turn, turn)
        at = np.arange(wrong.start, wrong.stop)
        curve[at, at] += 2.0 * slope[wrong]
        slope = slope * turn
        return -value / self.mass, -slope[free] / self.mass, -curve[np.ix_(free, free)] / self.mass

    def _ended(
        self, model: Model, natural: tuple[Any, ...], n_iter: int, converged: bool
    ) -> Optimum:
        """With a last step of Newton in the natural parameters, where that is uphill."""
        value, slope, curve = natural
        free = ~self.held
        try:
            factor = cho_factor(-curve[np.ix_(free, free)])
            step = np.zeros(free.size)
            step[free] = cho_solve(factor, slope[free])
            beyond = replace(model, theta=model.theta + step)
            if np.all(beyond.terms.part(beyond.theta, "wrong") >= 0.0):
                value_beyond, _, curve_beyond = self.terms_at(beyond, 2)
                if value_beyond >= value - 1e-12 * abs(value):
                    model, value, curve = beyond, value_beyond, curve_beyond
                    converged = True
        except np.linalg.LinAlgError:
            converged = False
        return Optimum(model, float(value), -curve, converged, n_iter)
