"""Problems held by the package and stated by arrays, and both ways to evaluate the objective."""

import numpy as np
import pytest

from csvor._loss.margins import EXPONENTIAL, HINGE, LOGISTIC, ROUNDED, pair_loss
from csvor._objective import small
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows.dense import DenseMatrix, DenseRows
from csvor._solvers.state import ACTIVE, CAP, CUT_COST, EVALUATE, SMOOTHED, make_state
from reference_objective import (
    WIDTHS,
    Exponential,
    Hinge,
    Logistic,
    Reference,
    Rounded,
    standardised,
)

WIDTH = 0.4
KINDS = {
    "hinge": (HINGE, Hinge()),
    "logistic": (LOGISTIC, Logistic()),
    "exponential": (EXPONENTIAL, Exponential()),
    "rounded": (ROUNDED, Rounded(WIDTH)),
}
CAPS = {"open": {}, "capped": {"epsilon": 1.5}, "trimmed": {"trim": 0.15}}
both_constraints = pytest.mark.parametrize("constraints", ["explicit", "implicit"])
every_kind = pytest.mark.parametrize("kind", KINDS)
every_p = pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 2.0])
every_cap = pytest.mark.parametrize("cap", CAPS)


def by_sums(objective, state, request):
    """A request answered as where rows are many."""
    objective._answer(request, state)


def compiled(objective, state, request):
    """The same request, where rows are few."""
    rows, n_thresholds = objective.rows, objective.n_classes - 1
    penalty = objective.ridge, objective.threshold_ridge, objective.frozen
    whole = small.small_problem(*rows.whole(), rows.pair, *penalty, n_thresholds)
    given = state.run, state.at, state.to, state.step, state.line, state.slopes
    small._answer(request, whole, *given)


both_ways = pytest.mark.parametrize("ask", [by_sums, compiled], ids=["sums", "compiled"])


class Case:
    """A problem, both as the package holds it and as the arrays state it."""

    def __init__(
        self, rng, kind="hinge", constraints="explicit", *, n=150, d=3, n_classes=5,
        weighted=True, threshold_ridge=0.0, bounded=False,
    ):  # fmt: skip
        X = rng.normal(size=(n, d)) * np.resize([1.0, 10.0, 0.1], d) + 5.0
        codes = rng.integers(0, n_classes, n)
        weights = rng.exponential(size=n) if weighted else np.ones(n)
        if weighted:
            weights[::9] = 0.0
        number, margin = KINDS[kind]
        pair = pair_loss(number, constraints, bounded=bounded, width=WIDTH)
        rows = DenseRows(DenseMatrix(X, weights), codes.astype(np.int32), 2.0 * weights, pair)
        self.objective = OrdinalObjective(rows, n_classes, threshold_ridge)
        Z, ridge = standardised(X, weights)
        self.reference = Reference(
            Z, ridge, codes, n_classes, 2.0 * weights, constraints, margin, threshold_ridge,
            bounded=bounded,
        )  # fmt: skip
        gaps = rng.exponential(size=n_classes - 2)
        self.theta = np.concatenate([0.4 * rng.normal(size=d), [-1.0], gaps])

    def state(self, theta, power, share=1.0, near=False, cap=None):
        state = make_state(
            theta, np.zeros((1, 7)), 1, p=power.p, epsilon=power.epsilon, delta=power.delta,
            trim=power.trim, damping=share, warm=near, kink=WIDTHS[0], corner=WIDTHS[1],
        )  # fmt: skip
        for point in (state.at, state.to, state.best):
            point.parts[CAP : CAP + 2] = np.inf if cap is None else cap
        return state

    def evaluated(self, ask, theta, power, *form, **cap):
        state = self.state(theta, power, *form, **cap)
        ask(self.objective, state, EVALUATE)
        return state.to

    def model(self, theta, power, share=1.0, near=False):
        """The statement, with a rounded slack's majorant, which is the share."""
        self.reference.majorant = share if isinstance(self.reference.margin, Rounded) else 0.0
        return self.reference.at(theta, power, share, near)


def assert_is(point, model):
    """To 1e-10 of the size of each part."""
    whole = abs(model.moving) + abs(model.constant)
    for place, part in (
        (ACTIVE, model.moving),
        (SMOOTHED, model.smooth),
        (CUT_COST, model.constant),
    ):
        assert point.parts[place] == pytest.approx(part, rel=1e-10, abs=1e-10 * whole)
    for found, stated in ((point.gradient, model.gradient), (point.hessian, model.hessian)):
        np.testing.assert_allclose(found, stated, rtol=0, atol=1e-10 * np.abs(stated).max())
