"""Sparse rows: the same fits as on dense rows, without a dense copy, whatever form they come in."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM, audit_labels
from csvor._rows.sparse import SparseProducts
from csvor.audit import candidate_models

FORMS = [
    getattr(sparse, f"{form}_{kind}")
    for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
    for kind in ("matrix", "array")
]
# Convex problems with one optimum; below 300 columns steps are by matrices, above by products.
CONVEX = [
    partial(SVOREX, tol=1e-10),
    partial(SVORIM, tol=1e-10),
    partial(REDSVM, tol=1e-10),
    partial(CSVOR, contamination=0.0, tol=1e-10),
    partial(CSVOR, contamination=0.0, constraints="implicit", tol=1e-10),
    partial(CSVOR, p=2.0, contamination=0.0, tol=1e-10),
    partial(CSVOR, p=1.4, contamination=0.0, tol=1e-10),
    partial(CSVOR, loss="logistic", p=2.0, contamination=0.0, tol=1e-10),
    partial(CSVOR, kernel="rbf", tol=1e-10),
    partial(CSVOR, kernel="poly", degree=2, n_components=40, random_state=0, tol=1e-10),
]


def text_like(n=500, d=60, share=0.1, seed=0):
    """Rows with few numbers that are not 0, five even classes, a tenth of the labels at random."""
    rng = np.random.default_rng(seed)
    X = np.where(rng.random((n, d)) < share, rng.normal(1.0, 1.0, (n, d)), 0.0)
    score = X @ rng.normal(size=d)
    score += 0.3 * score.std() * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    return X, np.where(rng.random(n) < 0.1, rng.integers(0, 5, n), y)


@pytest.mark.parametrize("columns", [60, 400, 1200])
@pytest.mark.parametrize("make", CONVEX, ids=repr)
def test_a_fit_is_that_on_dense_rows(make, columns):
    X, y = text_like(d=columns)
    dense, of_sparse = make().fit(X, y), make().fit(sparse.csr_array(X), y)
    assert of_sparse.objective_ == pytest.approx(dense.objective_, rel=1e-8)
    scores = of_sparse.predict_projection(sparse.csr_array(X))
    expected = dense.predict_projection(X)
    np.testing.assert_allclose(scores, expected, atol=2e-5 * np.abs(expected).max())
    np.testing.assert_allclose(of_sparse.thresholds_, dense.thresholds_, atol=5e-5)
    np.testing.assert_allclose(of_sparse.residuals_, dense.residuals_, atol=1e-4)
    assert of_sparse.converged_


@pytest.mark.parametrize("make", [CSVOR, partial(CSVOR, p=0.5), partial(CSVOR, epsilon=2.0)])
def test_a_capped_fit_of_few_columns_goes_the_same_way(make):
    X, y = text_like()
    dense, of_sparse = make().fit(X, y), make().fit(sparse.csr_array(X), y)
    assert of_sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)
    np.testing.assert_array_equal(of_sparse.outliers_, dense.outliers_)


def test_the_gap_is_certified():
    X, y = text_like(n=200, d=400)
    model = SVOREX().fit(sparse.csr_array(X), y)
    best = SVOREX(tol=1e-10).fit(X, y).objective_
    assert model.objective_ * (1.0 - model.gap_) <= best * (1.0 + 1e-12)
    assert model.gap_ <= 1e-6


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
def test_every_form_is_taken(form):
    X, y = text_like(n=70, d=20)
    given = form(X)
    model, expected = SVORIM().fit(given, y), SVORIM().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(model.coef_, expected.coef_)
    for ask in ("predict", "predict_projection", "decision_function", "predict_proba"):
        np.testing.assert_allclose(
            getattr(model, ask)(given), getattr(expected, ask)(X), atol=1e-12
        )
    assert model.score(given, y) == expected.score(X, y)
    np.testing.assert_allclose(model.residuals(given, y), expected.residuals(X, y), atol=1e-12)


def spoilt(X):
    """The same matrix with unsorted rows, numbers in parts, zeros stored and wide positions."""
    csr = sparse.csr_array(X)
    rng = np.random.default_rng(0)
    data, indices, starts = [], [], [0]
    for i in range(X.shape[0]):
        columns = csr.indices[csr.indptr[i] : csr.indptr[i + 1]]
        values = csr.data[csr.indptr[i] : csr.indptr[i + 1]]
        columns = np.concatenate([columns, columns, [3]])
        values = np.concatenate([0.25 * values, 0.75 * values, [0.0]])
        order = rng.permutation(columns.size)
        data.append(values[order])
        indices.append(columns[order])
        starts.append(starts[-1] + order.size)
    parts = np.concatenate(data), np.concatenate(indices).astype(np.int64), np.array(starts)
    return sparse.csr_array(parts, shape=X.shape)


@pytest.mark.parametrize("make", [partial(SVOREX, tol=1e-10), partial(CSVOR, p=2.0, tol=1e-10)])
@pytest.mark.parametrize("columns", [30, 500])
def test_parts_zeros_and_order_do_not_matter_and_nothing_is_written_to(make, columns):
    X, y = text_like(n=150, d=columns)
    X[[4, 9]] = 0.0
    X[:, [2, 7]] = 0.0
    given = spoilt(X)
    before = [part.copy() for part in (given.data, given.indices, given.indptr)]
    for part in (given.data, given.indices, given.indptr):
        part.flags.writeable = False
    model = make().fit(given, y)
    model.predict(given)
    for part, copied in zip((given.data, given.indices, given.indptr), before, strict=True):
        np.testing.assert_array_equal(part, copied)
    expected = make().fit(sparse.csr_array(X), y)
    assert model.objective_ == pytest.approx(expected.objective_, rel=1e-12)
    np.testing.assert_allclose(model.coef_, expected.coef_, atol=1e-9)
    assert not model.coef_[[2, 7]].any()


@pytest.mark.parametrize("columns", [30, 500])
def test_zeros_that_are_stored_change_no_digit(columns):
    """Case N70: a longer row is summed in other groups."""
    X, y = text_like(n=150, d=columns)
    given, expected = sparse.csr_array(np.where(X, X, 1.0)), sparse.csr_array(X)
    given.data[X.ravel() == 0.0] = 0.0
    model, of_few = (CSVOR().fit(rows, y) for rows in (given, expected))
    assert given.nnz == X.size > expected.nnz
    np.testing.assert_array_equal(model.coef_, of_few.coef_)
    np.testing.assert_array_equal(
        model.predict_projection(given), of_few.predict_projection(expected)
    )


def test_a_large_mean_is_no_trouble():
    X, y = text_like(n=300, d=10)
    shifted = X + np.r_[2000.0, np.zeros(9)]
    dense, of_sparse = SVOREX().fit(X, y), SVOREX().fit(sparse.csr_array(shifted), y)
    np.testing.assert_allclose(of_sparse.coef_, dense.coef_, atol=1e-5)


def test_weights_are_repetitions():
    X, y = text_like(n=200, d=400)
    weights = np.random.default_rng(1).integers(0, 3, 200)
    of_weights = SVOREX(tol=1e-9).fit(sparse.csr_array(X), y, sample_weight=weights)
    repeated = np.repeat(np.arange(200), weights)
    of_rows = SVOREX(tol=1e-9).fit(sparse.csr_array(X[repeated]), y[repeated])
    assert of_weights.objective_ == pytest.approx(of_rows.objective_, rel=1e-7)
    assert of_weights.residuals_.size == 200


def test_many_are_fitted_as_one():
    X, y = text_like(n=200, d=400)
    X = sparse.csr_array(X)
    models = CSVOR().fit_many(X, y, [{"C": 0.1}, {"C": 1.0, "p": 1.5}])
    for model, alone in zip(models, (CSVOR(C=0.1), CSVOR(p=1.5)), strict=True):
        np.testing.assert_allclose(model.coef_, alone.fit(X, y).coef_, atol=1e-10)


def test_the_share_of_wrong_labels_is_found_in_parts():
    X, y = text_like(n=600, d=40, share=0.3)
    dense = CSVOR(contamination="auto").fit(X, y)
    of_sparse = CSVOR(contamination="auto").fit(sparse.csr_array(X), y)
    assert of_sparse.contamination_ == pytest.approx(dense.contamination_, abs=1e-4)


@pytest.mark.parametrize(("bad", "word"), [(np.nan, "NaN"), (np.inf, "infinity")])
def test_what_is_not_finite_is_named(bad, word):
    X, y = text_like(n=50, d=8)
    X[7, 5] = bad
    with pytest.raises(ValueError, match=rf"contains {word}.*column 5, row 7 \(1 such"):
        SVOREX().fit(sparse.csc_array(X), y)


def test_far_values_are_named():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 3)), np.arange(80) % 2
    X[11, 1] = 1e6
    with pytest.warns(UserWarning, match=r"column 1 has the value 1e\+06 in row 11"):
        SVOREX().fit(sparse.csr_array(X), y)


def test_what_takes_no_sparse_rows_says_so():
    X, y = text_like(n=60, d=5)
    with pytest.raises(TypeError, match="dense data is required"):
        PINSVOR().fit(sparse.csr_array(X), y)
    with pytest.raises(TypeError, match="dense data is required"):
        SVOREX(kernel="precomputed").fit(sparse.csr_array(X @ X.T), y)


@pytest.mark.parametrize("make", [SVOREX, CSVOR, partial(CSVOR, p=1.5)])
def test_no_dense_copy_is_made(make):
    rng = np.random.default_rng(0)
    n, d, k = 4000, 20_000, 40
    columns = np.sort(rng.integers(0, d, (n, k)), axis=1)
    parts = rng.normal(size=n * k), columns.ravel(), np.arange(0, n * k + 1, k)
    X = sparse.csr_array(parts, shape=(n, d))
    X.sum_duplicates()
    y = np.digitize(X @ rng.normal(size=d), [-5.0, 5.0])
    held = X.data.nbytes + X.indices.nbytes + X.indptr.nbytes
    make().fit(X[:50], y[:50])  # compiles
    tracemalloc.start()
    model = make(tol=1e-3).fit(X, y)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6 * held < 0.1 * 8 * n * d
    assert model.score(X, y) > 0.9


@pytest.mark.parametrize("make", [SVOREX, CSVOR])
def test_rows_that_can_be_separated_take_no_thousands_of_products(monkeypatch, make):
    """5 646 and 2 391 once: sigma grew as where a matrix is factored, and ends were too exact."""
    rng, n, d = np.random.default_rng(0), 2000, 800
    columns = rng.integers(0, d, n * 30).astype(np.int32)
    parts = rng.normal(size=columns.size), columns, np.arange(0, n * 30 + 1, 30, dtype=np.int32)
    X = sparse.csr_array(parts, shape=(n, d))
    X.sum_duplicates()
    score = X @ rng.normal(size=d)
    y = np.digitize(score, np.quantile(score, [1 / 3, 2 / 3]))
    products, calls = SparseProducts.sandwich_matvec, []

    def counted(self, *args):
        calls.append(args)
        return products(self, *args)

    monkeypatch.setattr(SparseProducts, "sandwich_matvec", counted)
    model = make().fit(X, y)
    assert model.gap_ <= model.tol
    assert 100 < len(calls) < 2000


def test_an_audit_is_that_of_dense_rows():
    X, y = text_like(n=240, d=12, share=0.5)
    steps = StandardScaler(with_mean=False)
    dense, of_sparse = (
        audit_labels(Z, y, candidate_models(Z, before=steps, fixed={"C": 3.0}), cv=3)
        for Z in (X, sparse.coo_array(X))
    )
    assert of_sparse.share == pytest.approx(dense.share, abs=1e-4)
    np.testing.assert_allclose(of_sparse.probability, dense.probability, atol=1e-3)
    assert [c.settings["gamma"] for c in of_sparse.candidates] == pytest.approx(
        [c.settings["gamma"] for c in dense.candidates]
    )


def test_lines_of_an_audit_follow_the_length_of_rows(rng):
    """Squared, it is the number of standardised columns; so many rare words are not as long."""
    C = {d: [m[-1].C for m in candidate_models(rng.normal(size=(60, d)))[:3]] for d in (14, 400)}
    assert C == {14: [0.1, 1.0, 10.0], 400: [0.001, 0.01, 0.1]}
    words = sparse.random_array((60, 400), density=0.02, random_state=rng, format="csr")
    assert [m[-1].C for m in candidate_models(words)[:3]] == [0.1, 1.0, 10.0]
    assert type(candidate_models(words)[0][0]).__name__ == "MaxAbsScaler"


def test_an_audit_makes_no_dense_copy(monkeypatch):
    X, y = text_like(n=200, d=300)

    def refuse(self, *_, **__):
        raise AssertionError("dense copy")

    monkeypatch.setattr(sparse.csr_array, "toarray", refuse)
    models = [SVORIM(C=C) for C in (0.1, 1.0)]
    audit = audit_labels(sparse.csr_array(X), y, models)
    assert audit.probability.shape == (200,)


@pytest.mark.parametrize("make", [SVOREX, SVORIM, REDSVM])
def test_n69_few_columns_are_certified_as_dense_ones_are(make):
    rng = np.random.default_rng(0)
    X = sparse.random(400, 12, 0.3, format="csr", random_state=0)
    score = X @ rng.normal(size=12)
    y = np.digitize(score + 0.3 * rng.normal(size=400), [-1.0, 0.0, 1.0])
    of_sparse, dense = make().fit(X, y), make().fit(X.toarray(), y)
    assert of_sparse.gap_ <= of_sparse.tol
    assert of_sparse.objective_ == pytest.approx(dense.objective_, rel=1e-6)
