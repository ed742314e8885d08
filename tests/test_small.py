"""Few rows: compiled iterations go the way of those that Python drives."""

import gc
import weakref

import numpy as np
import pytest

from csvor import CSVOR, SVOREX
from csvor._objective import small
from csvor._solvers.state import FAILED, make_state
from objective_case import both_constraints, every_p


@both_constraints
@every_p
@pytest.mark.parametrize("kind", ["hinge", "logistic", "exponential"])
@pytest.mark.parametrize("given", [{}, {"epsilon": 1.5}, {"epsilon": np.inf}], ids=str)
def test_compiled_iterations_are_those_by_sums(rng, constraints, p, kind, given, monkeypatch):
    """The same way, step by step, with ties of weights and classes without order among them."""
    X = rng.normal(size=(80, 3))
    y = np.digitize(X.sum(axis=1), [-1.0, 0.0, 1.0])
    y[:12] = rng.integers(0, 4, 12)
    weights = rng.integers(1, 4, 80)
    model = CSVOR(p=p, constraints=constraints, loss=kind, **given)
    one = model.fit(X, y, weights)
    history, objective, epsilon, status = (
        one.objective_history_, one.objective_, one.epsilon_, one.status_,
    )  # fmt: skip
    monkeypatch.setattr("csvor._rows.dense._SMALL", 0)
    other = model.fit(X, y, weights)
    assert status == other.status_
    n = min(20, other.n_iter_, history.size)  # rounding grows where the objective bends
    np.testing.assert_allclose(history[:n], other.objective_history_[:n], rtol=1e-9)
    loose = {"rel": 1e-6 if p >= 1 else 1e-2}
    assert objective == pytest.approx(other.objective_, **loose)
    assert epsilon == pytest.approx(other.epsilon_, rel=1e-3 if p >= 1 else 0.1)


@every_p
@pytest.mark.parametrize("given", [{}, {"epsilon": 1.5}, {"epsilon": np.inf}], ids=str)
def test_a_run_goes_on_where_it_was_left(rng, p, given, monkeypatch):
    """One iteration a call of compiled code, in place of all: the same to the bit."""
    X = rng.normal(size=(80, 3))
    y = np.digitize(X.sum(axis=1), [-1.0, 0.0, 1.0])
    y[:12] = rng.integers(0, 4, 12)
    at_once = CSVOR(p=p, **given).fit(X, y)
    monkeypatch.setattr("csvor._objective.small._AT_ONCE", 0)
    by_one = CSVOR(p=p, **given).fit(X, y)
    np.testing.assert_array_equal(at_once.objective_history_, by_one.objective_history_)
    np.testing.assert_array_equal(at_once.coef_, by_one.coef_)


def test_an_interrupt_is_heard_after_so_many_numbers(rng, monkeypatch):
    """Of 80 rows and 6 coordinates, three times 480 let a run go on for four iterations."""
    X = rng.normal(size=(80, 3))
    y = np.digitize(X.sum(axis=1) + rng.normal(size=80), [-1.0, 0.0, 1.0])
    serve, lengths = small._SERVE["reweight"], []

    def watch(problem, run, *state):
        lengths.append(int(run["until"][0] - run["n"][0]))
        serve(problem, run, *state)

    monkeypatch.setitem(small._SERVE, "reweight", watch)
    monkeypatch.setattr(small, "_AT_ONCE", 3 * 80 * 6)
    CSVOR(p=1.5).fit(X, y)
    assert len(lengths) > 1 and max(lengths) == 4


def test_where_the_compiled_steps_fail_a_run_goes_on(rng, monkeypatch):
    X = rng.normal(size=(80, 3))
    y = np.digitize(X.sum(axis=1) + rng.normal(size=80), [-1.0, 0.0, 1.0])
    usual = CSVOR(p=1.5).fit(X, y)

    def fail(problem, run, *state):
        run["ended"] = FAILED

    monkeypatch.setitem(small._SERVE, "reweight", fail)
    other = CSVOR(p=1.5).fit(X, y)
    assert other.converged_ and other.n_iter_ > 1
    assert other.objective_ == pytest.approx(usual.objective_, rel=1e-9)


@pytest.mark.parametrize("kind", [CSVOR, SVOREX])
@pytest.mark.parametrize("driven", [False, True])
def test_a_fit_keeps_no_array_alive(rng, kind, driven, monkeypatch):
    """Those that a run works in are gone with it, whether compiled code or Python drives it."""
    made = []

    def watch(*arguments, **run):
        state = make_state(*arguments, **run)
        made.extend(map(weakref.ref, (state.history, state.run, state.at.hessian, state.to.theta)))
        return state

    for module in ("reweight", "smoothing"):
        monkeypatch.setattr(f"csvor._solvers.{module}.make_state", watch)
    if driven:
        monkeypatch.setattr("csvor._rows.dense._SMALL", 0)
    X = rng.normal(size=(80, 3))
    kind().fit(X, np.digitize(X.sum(axis=1), [-1.0, 0.0, 1.0]))
    gc.collect()
    assert made
    assert not [reference for reference in made if reference() is not None]
