"""PINSVOR against its primal, its dual, its limit, and what happens where it fails."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from csvor import PINSVOR, SVOREX
from csvor._loss.pinball import pinball_pieces
from csvor._objective.boundaries import BoundaryObjective
from csvor._rows.storage import matrix_of
from csvor._solvers import screening
from exact_programs import (
    pinball_dual_optimum,
    pinball_optimum,
    pinball_value,
    random_problem,
)

FORMS = ["paper", "code"]

may_collapse = pytest.mark.filterwarnings("ignore:All .*boundaries coincide:UserWarning")


def pinball_problem(number):
    """A random problem with a small or large tau, and C2 given or not."""
    X, codes, weights, C, n_classes = random_problem(number)
    tau = (0.02, 0.1, 0.3, 0.5, 0.9)[number % 5]
    C2 = (None, 0.0, 0.1 * C, 3.0 * C)[number // 5 % 4]
    return X, codes, weights, C, n_classes, tau, C2


def value_of(model, X, codes, costs, tau, C2, form):
    w = model.coef_
    return pinball_value(w, X @ w, model.boundaries_, codes, costs, tau, C2, form)


@may_collapse
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(30))
def test_optimum_of_the_primal(number, form):
    X, codes, weights, C, n_classes, tau, C2 = pinball_problem(number)
    model = PINSVOR(C, tau=tau, C2=C2, form=form).fit(X, codes, weights)
    costs, spread_cost = C * weights, C if C2 is None else C2
    least = pinball_optimum(X, codes, costs, n_classes, tau, spread_cost, form)
    reached = value_of(model, X, codes, costs, tau, spread_cost, form)
    assert least * (1 - 1e-7) <= reached <= least * (1 + 1e-6)
    assert model.objective_ == pytest.approx(reached, rel=1e-6)
    assert np.all(np.diff(model.boundaries_) >= 0)
    width = model.boundaries_[-1] - model.boundaries_[0]
    from_rows = 0.5 * model.coef_ @ model.coef_ + spread_cost * width + costs @ model.residuals_
    assert from_rows == pytest.approx(reached, rel=1e-9)


@may_collapse
@pytest.mark.parametrize("number", range(30))
def test_optimum_of_the_dual(number):
    """The paper's form only: with the box of the authors' code the dual is another's."""
    X, codes, weights, C, n_classes, tau, C2 = pinball_problem(number)
    model = PINSVOR(C, tau=tau, C2=C2).fit(X, codes, weights)
    spread_cost = C if C2 is None else C2
    dual = pinball_dual_optimum(X, codes, C * weights, n_classes, tau, spread_cost)
    reached = value_of(model, X, codes, C * weights, tau, spread_cost, "paper")
    assert dual == pytest.approx(reached, rel=1e-6)


@may_collapse
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(0, 30, 2))
def test_a_row_belongs_to_the_nearest_centre(number, form):
    """Centres of classes that no boundary parts coincide: then any of them is nearest."""
    X, codes, weights, C, _, tau, C2 = pinball_problem(number)
    model = PINSVOR(C, tau=tau, C2=C2, form=form).fit(X, codes, weights)
    centres = 0.5 * (model.boundaries_[:-1] + model.boundaries_[1:])
    midpoints = 0.5 * (centres[:-1] + centres[1:])
    np.testing.assert_allclose(model.thresholds_, midpoints, rtol=1e-9, atol=1e-9)
    rows = np.vstack([X, X.mean(axis=0) + 2.0 * np.random.default_rng(number).normal(size=X.shape)])
    distance = np.abs(model.predict_projection(rows)[:, None] - centres)
    chosen = distance[np.arange(rows.shape[0]), model.predict(rows)]
    np.testing.assert_allclose(
        chosen, distance.min(axis=1), atol=1e-6 * (1 + np.abs(centres).max())
    )


@pytest.mark.parametrize("number", range(0, 30, 3))
def test_the_code_never_costs_less_and_the_same_for_wide_classes(number):
    X, codes, weights, C, _, _, _ = pinball_problem(number)
    paper, code = (PINSVOR(C, tau=0.05, form=form).fit(X, codes, weights) for form in FORMS)
    assert paper.objective_ <= code.objective_ * (1 + 1e-6)
    if np.all(np.diff(paper.boundaries_) >= 2 - 1e-6):
        assert paper.objective_ == pytest.approx(code.objective_, rel=1e-6)


def test_wide_and_narrow_classes_were_met():
    """So the test above did meet both."""
    narrowest = []
    for number in range(0, 30, 3):
        X, codes, weights, C, _, _, _ = pinball_problem(number)
        model = PINSVOR(C, tau=0.05).fit(X, codes, weights)
        narrowest.append(np.diff(model.boundaries_).min())
    assert sum(width >= 2 - 1e-6 for width in narrowest) >= 2
    assert sum(width < 1.9 for width in narrowest) >= 2


@may_collapse
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(0, 30, 5))
def test_tau_to_zero(number, form):
    """The hinges of SVOREX remain, and with C2 the width of all classes together.

    Where C2 = 0 the outer boundaries go free, and with boundaries one beyond the rows a solution
    of SVOREX costs tau times its distances to the centres more. From below,
    loss >= (1 - tau) hinges.
    """
    X, codes, weights, C, n_classes, _, _ = pinball_problem(number)
    limit = pinball_optimum(X, codes, C * weights, n_classes, 0.0, C, form)
    model = PINSVOR(C, tau=1e-7, form=form).fit(X, codes, weights)
    assert model.objective_ == pytest.approx(limit, rel=1e-5)

    tau = 1e-4
    explicit = SVOREX(C, tol=1e-9).fit(X, codes, weights)
    f = X @ explicit.coef_
    b = np.concatenate([[f.min() - 1], explicit.thresholds_, [f.max() + 1]])
    b = np.maximum.accumulate(np.minimum(b, f.max() + 1))
    distance = np.abs(f - 0.5 * (b[codes] + b[codes + 1]))
    above = explicit.objective_ + tau * C * weights @ distance
    free = PINSVOR(C, tau=tau, C2=0.0, form=form).fit(X, codes, weights).objective_
    assert (1 - tau) * explicit.objective_ * (1 - 1e-6) <= free <= above * (1 + 1e-6)


@pytest.mark.parametrize("draw", range(3))
def test_a_large_tau_draws_the_boundaries_together(draw):
    """45 rows, C = 1, tau = 0.8: the code's form collapses to w = 0, the paper's in the middle."""
    rng = np.random.default_rng(draw)
    X = rng.normal(size=(45, 3))
    latent = X @ [1.0, 0.5, -0.5] + 0.5 * rng.normal(size=45)
    y = np.digitize(latent, np.quantile(latent, [1 / 3, 2 / 3]))
    with pytest.warns(UserWarning, match=r"boundaries coincide.*tau=0\.8.*smaller tau"):
        code = PINSVOR(1.0, tau=0.8, form="code").fit(X, y)
    np.testing.assert_allclose(code.boundaries_, 0.0, atol=1e-6)
    np.testing.assert_allclose(code.coef_, 0.0, atol=1e-6)
    with pytest.warns(UserWarning, match="All inner boundaries coincide"):
        paper = PINSVOR(1.0, tau=0.8).fit(X, y)
    widths = np.diff(paper.boundaries_)
    assert widths[1] < 1e-6 < 0.1 < min(widths[0], widths[2])


def test_the_limit_of_iterations_is_reported():
    X, codes, weights, C, _, tau, _ = pinball_problem(1)
    with pytest.warns(ConvergenceWarning, match=r"PINSVOR stopped after 1 iteration .*max_iter"):
        model = PINSVOR(C, tau=tau, max_iter=1).fit(X, codes, weights)
    assert not model.converged_
    assert model.n_iter_ == 1
    assert "limit of iterations" in model.status_


@may_collapse
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(0, 30, 4))
def test_the_gap_bounds_how_far_the_optimum_is(number, form):
    """Also where the fit ends early, which then is no nearer than it says."""
    X, codes, weights, C, n_classes, tau, C2 = pinball_problem(number)
    spread_cost = C if C2 is None else C2
    least = pinball_optimum(X, codes, C * weights, n_classes, tau, spread_cost, form)
    for tol in (1e-1, 1e-3, 1e-5, 1e-9):
        model = PINSVOR(C, tau=tau, C2=C2, form=form, tol=tol).fit(X, codes, weights)
        assert model.converged_
        objective = model.objective_
        assert model.gap_ * objective <= tol * max(objective, 1e-3 * C * weights.sum())
        assert (objective - least) / objective <= model.gap_ + 1e-8
    assert model.objective_history_[-1] == model.objective_
    assert np.all(np.diff(model.objective_history_) <= 0)
    assert model.objective_history_.shape == (model.n_iter_,)


@may_collapse
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
def test_rows_on_a_grid_that_stand_there_many_times(C, form):
    """Eight classes of equal rows under unlike labels, where hardly any solution is unique."""
    rng = np.random.default_rng(3)
    X, codes = rng.integers(0, 3, (120, 3)).astype(float), np.arange(120) % 8
    for tau in (0.05, 0.4, 0.9):
        model = PINSVOR(C, tau=tau, form=form).fit(X, codes)
        least = pinball_optimum(X, codes, np.full(120, C), 8, tau, C, form)
        assert model.converged_
        assert model.objective_ == pytest.approx(least, rel=1e-7)


def test_a_fit_does_not_depend_on_those_before_it():
    X, codes, weights, _, _, tau, _ = pinball_problem(1)
    settings = [{"C": C, "tau": tau} for C in (1e-3, 1.0, 1e3)]
    for setting, model in zip(
        settings, PINSVOR().fit_many(X, codes, settings, weights), strict=True
    ):
        alone = PINSVOR(**setting).fit(X, codes, weights)
        assert np.array_equal(model.coef_, alone.coef_)
        assert np.array_equal(model.boundaries_, alone.boundaries_)


@may_collapse
def test_no_more_exact_than_rounding_allows():
    X, codes, weights, C, _, tau, _ = pinball_problem(1)
    with pytest.warns(ConvergenceWarning, match="rounding ended the run"):
        model = PINSVOR(C, tau=tau, tol=0.0).fit(X, codes, weights)
    assert model.gap_ < 1e-8


def test_numbers_without_range_are_refused():
    X, codes, _, _, _, _, _ = pinball_problem(1)
    with pytest.raises(ValueError, match="left the range of numbers"):
        PINSVOR(1e308).fit(X, codes)


def test_costs_that_vanish_leave_nothing():
    """C times weight is too small for a number."""
    X, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    model = PINSVOR(C=5e-324, C2=0.0).fit(X, y, np.full(4, 1e-20))
    assert model.objective_ == model.gap_ == 0.0


@may_collapse
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("number", range(0, 30, 3))
def test_many_rows_end_where_all_of_them_at_once_do(number, form, monkeypatch):
    """By way of few maxima, which a sample of hardly any rows tells."""
    X, codes, weights, C, n_classes, tau, C2 = pinball_problem(number)
    spread_cost = C if C2 is None else C2
    least = pinball_optimum(X, codes, C * weights, n_classes, tau, spread_cost, form)
    monkeypatch.setattr(screening, "LEAST", 1)
    monkeypatch.setattr(screening, "SIZE", max(len(codes) // 10, 3))
    for tol in (1e-3, 1e-8):
        model = PINSVOR(C, tau=tau, C2=C2, form=form, tol=tol).fit(X, codes, weights)
        assert model.converged_
        assert model.gap_ * model.objective_ <= tol * max(model.objective_, 1e-3 * C * sum(weights))
        assert (model.objective_ - least) / model.objective_ <= model.gap_ + 1e-8
        assert np.all(np.diff(model.objective_history_) <= 0)
        assert model.objective_history_.shape == (model.n_iter_,)
    reached = value_of(model, X, codes, C * weights, tau, spread_cost, form)
    assert model.objective_ == pytest.approx(reached, rel=1e-9)


@may_collapse
@pytest.mark.parametrize("form", FORMS)
def test_classes_that_cost_far_more_than_rows(form, rng):
    X = rng.normal(size=(95, 5))
    codes = np.digitize(X[:, 0] + rng.normal(size=95), [-0.5, 0.5])
    least = pinball_optimum(X, codes, np.full(95, 1e-3), 3, 0.5, 1.0, form)
    model = PINSVOR(1e-3, tau=0.5, C2=1.0, form=form).fit(X, codes)
    assert model.converged_
    assert model.objective_ == pytest.approx(least, rel=1e-7)


def sixty_rows(rng, form):
    X, codes = rng.normal(size=(60, 3)), np.arange(60) % 4
    matrix = matrix_of(X, np.ones(60))
    return BoundaryObjective(
        matrix, codes, 4, costs=rng.random(60), width_cost=0.3, pieces=pinball_pieces(0.4, form)
    )


def test_the_rows_of_a_sample_count_for_those_of_their_class(rng):
    problem = sixty_rows(rng, "paper")
    part = problem.sample(20)
    assert 8 <= part.n_samples < 60
    of_part = np.bincount(part._codes, part.costs)
    np.testing.assert_allclose(of_part, np.bincount(problem._codes, problem.costs))


@pytest.mark.parametrize("form", FORMS)
def test_a_row_has_changed_where_another_piece_is_the_highest(rng, form):
    problem = sixty_rows(rng, form)
    theta = problem.start + 0.1 * rng.normal(size=problem.start.size)
    for to in (theta + rng.normal(size=theta.size), theta):
        highest = [
            (problem.slopes @ problem.views(at) + problem.offsets[..., None]).argmax(axis=1)
            for at in (theta, to)
        ]
        changed = (highest[0] != highest[1]).any(axis=0)
        np.testing.assert_array_equal(problem.changed_piece(theta, to), changed)
        np.testing.assert_array_equal(problem.changed_piece(to, theta), changed)


def test_an_outline_is_nowhere_higher_and_the_same_at_its_point(rng):
    problem = sixty_rows(rng, "paper")
    theta = problem.start + 0.1 * rng.normal(size=problem.start.size)
    part = problem.screen(theta, problem.near(theta, 0.3))
    assert 0 < part.n_samples < 60
    assert part.value(theta) == pytest.approx(problem.value(theta), rel=1e-12)
    for _ in range(20):
        other = theta + rng.normal(size=theta.size)
        assert part.value(other) <= problem.value(other) + 1e-12
