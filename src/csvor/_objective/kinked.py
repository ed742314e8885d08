"""What are the slack arguments of all pairs, and what follows from multipliers of them?

The objective as `_solvers.augmented` asks for it: a penalty and support functions of slack
arguments, 1 - margin, that are linear in theta. All of it is whole arrays, whose large products
are BLAS's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import lsq_linear

from csvor._loss.capped import CappedPower, counted_costs, cut_cost
from csvor._loss.dual_sets import Ball, Box
from csvor._objective.balance import balancing_factors, from_thresholds
from csvor._objective.newton import Curvature, by_columns, curvature, newton_step, step_by_rows
from csvor._objective.ordinal import OrdinalObjective
from csvor._rows.gram import Gram
from csvor._rows.quantile import weighted_quantile
from csvor._rows.trim import find_cap
from csvor._solvers.capped_costs import CappedCosts
from csvor._solvers.state import closing_cap
from csvor._utils.cached import cached_property

Array = NDArray[np.float64]

# A sigma to begin with is at most so many times what one row alone would need to come off its kink
# by the penalty's means (found by trial).
_FIRST = 1000.0
# What conjugate gradients may leave of the gradient: steps that follow cost less (found by trial).
_PRECISION = 0.3
# Samples for each column that tell the curvature of all well enough for a rough step; fewer than
# so many cost little.
_CURVED, _FEW = 8, 3_000
# The largest: beyond it rounding moves multipliers.
_LARGEST = 1e7
# Sums of costs times slacks are exact to this share.
_ROUNDED = 1e-15
# Slacks that may be at their kinks near the optimum: so many for each coordinate, and more; what
# the balance at thresholds counts beside slopes by w; passes that press multipliers to their ends.
_NEAREST, _MORE, _BALANCE, _PASSES = 2, 20, 1e4, 2


class KinkedObjective:
    """``h(theta) + sum_i c_i phi(x_i(theta))``; the last coordinates of theta are not negative."""

    def __init__(self, objective: OrdinalObjective, *, sums: bool = False) -> None:
        rows = objective.rows
        self._objective = objective
        self._support = Box if sums else Ball
        self._products = rows.matrix.products
        self._gram = Gram(self._products, objective.ridge)
        self._penalty = objective.ridge, objective.threshold_ridge
        self._full = rows.costs
        self.size, self.n_bounded = objective.size, objective.n_classes - 2
        self.steps_by_products = objective.ridge.size > self._products.most_columns
        m, y = objective.n_classes - 1, rows.codes.astype(np.intp)  # NumPy's own for positions
        if rows.pair["implicit"][0]:
            self._k = np.repeat(np.arange(m)[:, None], y.size, axis=1)
            counts = np.ones(self._k.shape, dtype=bool)
        else:
            counts = np.stack([y > 0, y < m])
            self._k = np.clip(np.stack([y - 1, y]), 0, m - 1)
        # A pair that does not count has the slack argument -1, whatever theta is.
        self._side = np.where(counts, np.where(y > self._k, 1.0, -1.0), 0.0)
        self._one = np.where(counts, 1.0, -1.0)

    @property
    def start(self) -> Array:
        """No slope, and thresholds evenly from -1 to 1."""
        m = self._objective.n_classes - 1
        theta = self._objective.origin
        theta[-m:] = 2.0 / max(m - 1, 1)
        theta[-m] = -1.0 if m > 1 else 0.0
        return theta

    @cached_property
    def sigmas(self) -> tuple[float, float]:
        """The first sigma, and the largest."""
        most = self._full.max()
        scaled = self._full / most  # the square of a tiny weight is none
        of_costs = float(most * (scaled @ scaled / scaled.sum()))
        square = self._products.mean_square(self._objective.ridge)
        of_rows = _FIRST / (square * of_costs) if square > 0.0 else np.inf
        return min(1.0, of_rows), _LARGEST

    def split(self, theta: Array) -> tuple[Array, Array]:
        """Coefficients of the scaled features, and thresholds."""
        return self._objective.split(theta)

    def slack_args(self, theta: Array) -> Array:
        """1 - margin of each pair."""
        return self._one + self.directional_change(theta)

    def directional_change(self, step: Array) -> Array:
        """What a step adds to the slack arguments."""
        w, b = self._objective.split(step)
        return self._side * (b[self._k] - self._products.matvec(w))

    def centred(self, theta: Array, cap: float) -> Array:
        """As `OrdinalObjective.centred`; sums of slacks keep their thresholds."""
        return theta if self._support is Box else self._objective.centred(theta, cap)

    def penalty(self, theta: Array) -> float:
        return self._objective.penalty(theta)

    def penalty_on_line(self, theta: Array, step: Array) -> tuple[float, float]:
        """First and second derivative of the penalty at theta along a step."""
        pull, along = self._objective.penalise(theta)[1], self._objective.penalise(step)[1]
        by = np.concatenate(self._objective.split(step))
        return float(pull @ by), float(along @ by)

    def nearest(self, u: Array, costs: Array) -> Array:
        """Multipliers nearest to u."""
        return self._support.nearest(u, costs)

    def losses(self, x: Array) -> Array:
        """phi."""
        return self._support.value(x)

    def gradient(self, theta: Array, multipliers: Array) -> Array:
        grad_w, grad_b = self._slopes(theta, multipliers)
        return np.concatenate([grad_w, from_thresholds(grad_b)])

    def newton(
        self, theta: Array, gradient: Array, u: Array, costs: Array, rate: Array, rough: bool
    ) -> Array:
        """The step to about where the model of the augmented problem is least.

        A ``rough`` one takes some of the curved samples for all.
        """
        most = max(_CURVED * self._objective.ridge.size, _FEW) if rough else np.inf
        at = self._curvature(u, costs, rate, most)
        d, r = self._objective.ridge.size, at.samples.size
        if r**3 / 3 + self._gram.work_of(at.samples) < r * d**2 + d**3 / 3:
            step = step_by_rows(
                at, self._gram, self._products, *self._penalty, theta, gradient, self.n_bounded
            )
            if step is not None:
                return step
        return newton_step(at, self._products, *self._penalty, theta, gradient, _PRECISION)

    def hessian(self, u: Array, costs: Array, rate: Array) -> Array:
        """Of the augmented problem, by theta."""
        return by_columns(self._curvature(u, costs, rate), self._products, *self._penalty)

    def _curvature(self, u: Array, costs: Array, rate: Array, most: float = np.inf) -> Curvature:
        jacobian = self._support.jacobian(u, costs, rate)
        if jacobian.samples.size > most:
            jacobian = jacobian.part(int(most))
        at = jacobian.samples
        return curvature(
            jacobian, self._side[:, at], self._k[:, at], self._objective.n_classes - 1, rate.sum()
        )

    def costs_at(self, theta: Array, x: Array, stage: Any) -> CappedCosts:
        """What rows count for under the loss of a stage: as `row_weights`, but slopes by r."""
        r, cost = self.losses(x), self._full
        g = r * r
        cap, epsilon = np.array([np.inf, np.inf, 1.0]), stage.epsilon
        if stage.trim > 0.0:
            find_cap(g, cost, stage.trim, cap)
        else:
            if stage.level < 1.0:
                epsilon = closing_cap(weighted_quantile(g, stage.level, cost), stage.p, epsilon)
            cap[:2] = CappedPower(stage.p, epsilon).cap
        counts = counted_costs(g, cost, cap)
        constant = 0.0
        if cap[1] < np.inf:
            constant = cut_cost.py_func(stage.trim, epsilon) * (cost.sum() - counts.sum())
        losses = r if stage.p == 1.0 else r**stage.p
        active = self.penalty(theta) + float(counts @ losses)
        if stage.p < 1.0:
            counts = counts * stage.p * (r + stage.delta) ** (stage.p - 1.0)
        return CappedCosts(counts, active, float(constant), float(cap[1]), stage.p < 1.0)

    def gap_at(self, theta: Array) -> float:
        """`gap` by the multipliers that balance the objective's slopes best at theta.

        Slacks away from their kinks have one slope each. Of the few nearest to theirs, which hold
        the optimum where it is, multipliers follow by least squares between their bounds.
        """
        x, costs = self.slack_args(theta), self._full
        size = min(_NEAREST * theta.size + _MORE, x.size)
        near = np.argpartition(np.abs(x), size - 1, axis=None)[:size]
        multipliers = np.where(x > 0.0, costs, 0.0)
        multipliers.flat[near] = 0.0
        grad_w, grad_b = self._slopes(theta, multipliers)
        pair, row = np.unravel_index(near, x.shape)
        side, begins = self._side[pair, row] * costs[row], self._begins(theta)
        places = np.cumsum(begins)[self._k[pair, row]] - 1 == np.arange(begins.sum())[:, None]
        root = np.sqrt(self._objective.ridge)[:, None]
        slopes = np.vstack([-self._products.rows(row).T / root, _BALANCE * places]) * side
        pulls = np.add.reduceat(grad_b, np.flatnonzero(begins))
        pulls = np.append(grad_w / root[:, 0], _BALANCE * pulls)
        away, full = costs[row] * np.abs(x.flat[near]), (x.flat[near] > 0.0) * 1.0
        shares = 1.0 - full
        for _ in range(_PASSES):
            held = np.sqrt(2.0 * away / np.maximum(np.abs(shares - full), 1e-3))
            system = np.vstack([slopes, np.diag(held)]), np.append(-pulls, held * full)
            shares = lsq_linear(*system, (0.0, 1.0), method="bvls").x
        multipliers.flat[near] = shares * costs[row]
        return self.gap(theta, x, multipliers, costs)

    def gap(self, theta: Array, x: Array, multipliers: Array, costs: Array) -> float:
        """How far the convex problem can be from its least value at most.

        Multipliers in their sets bound it from below, at the w that is best for them, once they are
        in balance at the thresholds. All parts of the difference are of one sign.
        """
        d, ridge_of_b = self._objective.ridge.size, self._objective.threshold_ridge
        balanced = self.nearest(multipliers, costs)
        up = self._by_threshold(np.where(self._side > 0.0, balanced, 0.0))
        down = self._by_threshold(np.where(self._side < 0.0, balanced, 0.0))
        if ridge_of_b > 0.0:  # which holds all but the mean of the thresholds
            all_up, all_down = up.sum(keepdims=True), down.sum(keepdims=True)
            factors = balancing_factors(all_up, all_down, np.array([True]))[
                :, np.zeros_like(self._k)
            ]
        else:
            factors = balancing_factors(up, down, self._begins(theta))[:, self._k]
        balanced *= np.where(self._side > 0.0, *factors)
        grad_w, grad_b = self._slopes(theta, balanced)
        losses = float(costs @ self.losses(x))
        # What rounding can hide, of an optimum far below what slacks of 1 would cost.
        hidden = _ROUNDED * float(((x > -_ROUNDED) * (1.0 + np.abs(x)) @ costs).sum())
        apart = max(losses - float(np.vdot(balanced, x)), 0.0) + hidden
        apart += 0.5 * float(grad_w @ (grad_w / self._objective.ridge))
        pulls = from_thresholds(grad_b)
        if ridge_of_b > 0.0:
            # What presses thresholds that are in one place together, their order holds.
            pulls[1:] = np.where(theta[d + 1 :] > 0.0, pulls[1:], np.minimum(pulls[1:], 0.0))
            left = np.diff(pulls, append=0.0)
            apart += 0.5 * float(left @ left) / ridge_of_b
        else:
            apart += float(pulls[1:] @ theta[d + 1 :])
        return apart

    def _begins(self, theta: Array) -> NDArray[np.bool_]:
        """Which thresholds lie above the one before: where a place begins."""
        begins: NDArray[np.bool_] = theta[self._objective.ridge.size :] > 0.0
        begins[0] = True
        return begins

    def _slopes(self, theta: Array, multipliers: Array) -> tuple[Array, Array]:
        """By w and b."""
        signed, (_, pull) = self._side * multipliers, self._objective.penalise(theta)
        d = self._objective.ridge.size
        grad_w = pull[:d] - self._products.transpose_matvec(signed.sum(axis=0))
        return grad_w, pull[d:] + self._by_threshold(signed)

    def _by_threshold(self, of_pairs: Array) -> Array:
        sums = np.zeros(self._objective.n_classes - 1)
        for k, values in zip(self._k, of_pairs, strict=True):
            sums += np.bincount(k, values, sums.size)
        return sums
