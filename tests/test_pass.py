"""One pass over the rows: what layout, blocks, chunks, centring and scaling must not change."""

import numpy as np
import pytest

from csvor._loss.capped import LOSS
from csvor._loss.margins import HINGE, pair_loss
from csvor._rows.dense import DenseMatrix, DenseRows
from reference_objective import Hinge, Power, Reference, standardised

B = np.array([-1.0, 0.2, 0.9, 2.0])


def drawn(rng, n, d, n_classes=5):
    X = rng.normal(size=(n, d)) * np.resize([1.0, 10.0, 0.1], d) + 5.0
    codes, costs = rng.integers(0, n_classes, n), rng.exponential(size=n)
    costs[rng.random(n) < 0.05] = 0.0
    return X, codes.astype(np.int32), costs, 0.3 * rng.normal(size=d)


def loss_of(p=1.0, cap=1.5, delta=1e-2, concave=0.5):
    return np.array([(p, cap, cap, 1.0, delta, concave, 0.0, delta)], dtype=LOSS)


def rows_of(X, codes, costs, constraints="explicit"):
    pair = pair_loss(HINGE, constraints)
    return DenseRows(DenseMatrix(X, np.ones(len(X))), codes, costs, pair)


def everything(rows, w, b):
    """All that is asked of rows, as arrays, with `trim` from a cap that is far off."""
    sums, curvature = rows.sums(w, b, loss_of())
    cut, bends, cap = rows.trim(w, b, loss_of(), 0.2)
    rows.begin_line(w, b, 0.1 * w, loss_of())
    slopes = rows.slopes(b, 0.1 * b, 0.7)
    quantile = np.array(rows.quantile(0.8))
    return sums, curvature, cut, bends, cap, slopes, quantile, *rows.scores_and_losses(w, b)


def assert_same(one, other):
    for a, b in zip(one, other, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10 * max(np.abs(b).max(), 1e-3))


@pytest.mark.parametrize("constraints", ["explicit", "implicit"])
@pytest.mark.parametrize("order", ["F", "strided", "read-only"])
def test_chunks_and_layouts_change_nothing(rng, constraints, order, monkeypatch):
    X, codes, costs, w = drawn(rng, 1200, 3)
    whole = everything(rows_of(X, codes, costs, constraints), w, B)
    if order == "F":
        X = np.asfortranarray(X)
    elif order == "strided":
        X = np.repeat(X, 2, axis=0)[::2]
    else:
        X.flags.writeable = False
    monkeypatch.setattr("csvor._utils.threads._CHUNK", 1000)
    parts = rows_of(X, codes, costs, constraints)
    assert len(parts._threads.map(lambda rows: rows)) == 4
    assert_same(everything(parts, w, B), whole)


@pytest.mark.parametrize(("n", "d"), [(1, 1), (127, 2), (128, 3), (129, 15), (300, 16), (257, 21)])
@pytest.mark.parametrize("constraints", ["explicit", "implicit"])
def test_blocks_and_packing_change_nothing(rng, n, d, constraints):
    """Sums over blocks of 128 rows, of which those without a weight are left out from d = 16 on."""
    X, codes, costs, w = drawn(rng, n, d)
    costs[0] = 1.0
    whole = rows_of(X, codes, costs, constraints)
    parts = [
        DenseRows(whole.matrix.take(np.array([row])), codes[[row]], costs[[row]], whole.pair)
        for row in range(n)
    ]
    found = [part.sums(w, B, loss_of()) for part in parts]
    assert_same(whole.sums(w, B, loss_of()), [sum(each) for each in zip(*found, strict=True)])


def test_features_are_those_of_the_centred_scaled_array(rng):
    X = rng.normal(size=(30, 4)) * [1, 100, 1e-3, 1] + [0, 1e4, 1, 3]
    X[:, 3] = 7.0  # constant
    weights = rng.integers(0, 3, 30).astype(float)
    matrix = DenseMatrix(X, weights)
    mean = np.average(X, axis=0, weights=weights)
    std = np.sqrt(np.average((X - mean) ** 2, axis=0, weights=weights))
    std[3] = 7.0
    Z = (X - mean) / std
    Z[:, 3] = 0.0
    np.testing.assert_allclose(matrix.values, Z, atol=1e-9)
    w, b = rng.normal(size=4), np.zeros(1)
    rows = DenseRows(matrix, np.zeros(30, int), np.ones(30), pair_loss(HINGE, "explicit"))
    np.testing.assert_allclose(rows.scores_and_losses(w, b)[0], Z @ w, atol=1e-9)
    coef, shift = matrix.in_given_units(w)
    np.testing.assert_allclose(coef, w / std, rtol=1e-9)
    assert shift == pytest.approx(mean @ coef)
    assert 0.5 * matrix.ridge @ w**2 == pytest.approx(0.5 * coef @ coef)
    some = matrix.take(np.array([3, 1]))
    np.testing.assert_array_equal(some.values, matrix.values[[3, 1]])


def test_input_is_left_alone(rng):
    X, codes, costs, w = drawn(rng, 50, 2)
    before = X.copy(), codes.copy(), costs.copy()
    everything(rows_of(X, codes, costs), w, B)
    for given, kept in zip((X, codes, costs), before, strict=True):
        np.testing.assert_array_equal(given, kept)


def test_a_sample_stands_for_all_rows(rng):
    """It costs what they cost, has two rows of a rare class, and is always the same."""
    X, _, costs, w = drawn(rng, 2000, 2)
    codes = (X[:, 0] > 5.0).astype(np.int32)
    codes[:2] = 2
    rows = rows_of(X, codes, costs)
    part, again = rows.sample(400, 3), rows.sample(400, 3)
    np.testing.assert_array_equal(part.matrix.X, again.matrix.X)
    assert part.costs.sum() == pytest.approx(costs.sum(), rel=1e-12)
    assert np.all(np.bincount(part.codes, minlength=3) >= 2)
    np.testing.assert_array_equal(part.matrix.ridge, rows.matrix.ridge)
    b = np.array([-0.5, 0.5])
    of_all, of_part = (each.costs @ each.scores_and_losses(w, b)[1] for each in (rows, part))
    assert of_part == pytest.approx(of_all, rel=0.3)


@pytest.mark.parametrize("share", [0.05, 0.2, 0.5])
@pytest.mark.parametrize("start", [0.01, 1.0, 1.5, 30.0, np.inf])
def test_a_trimmed_pass_is_the_statement_from_any_cap(rng, share, start):
    X, codes, costs, w = drawn(rng, 400, 3)
    rows = rows_of(X, codes, costs)
    sums, _, cap = rows.trim(w, B, loss_of(cap=start, concave=0.0), share)
    Z, ridge = standardised(X, np.ones(400))
    reference = Reference(Z, 0.0 * ridge, codes, 5, costs, "explicit", Hinge())
    theta = np.concatenate([w, np.diff(B, prepend=0.0)])
    model = reference.at(theta, Power(1.0, delta=1e-2, trim=share))
    assert sums[-3] == pytest.approx(model.moving, rel=1e-10)
    assert sums[-1] == pytest.approx(model.constant, rel=1e-8)
    by_theta = reference.to_wb.T @ sums[:-3]
    np.testing.assert_allclose(by_theta, model.gradient, rtol=1e-8, atol=1e-8)
    g = rows.scores_and_losses(w, B)[1]
    assert costs[g > cap[1]].sum() <= share * costs.sum() <= costs[g >= cap[0]].sum() or cap[1] == 1
