"""Cases N11 to N13 and N15: what CSVOR does with columns that are hard, broken or out of place."""

import functools
import re
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.metrics import mean_absolute_error
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR
from csvor._data import ranges
from csvor.preprocessing import MedianClipper
from problems import b12, g, logistic_rows, stated_loss

X, Y = logistic_rows()
COLUMNS = ["age", "weight"]


def fit_and_warnings(X, y=Y, **parameters):
    """A model and the messages of the warnings that its fit gave."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", "predict never returns class")
        model = CSVOR(**parameters).fit(X, y)
    assert all(issubclass(warning.category, UserWarning) for warning in caught), caught
    return model, [str(warning.message) for warning in caught]


@functools.cache
def plain_fit():
    return CSVOR().fit(X, Y)


def agreement(model, other_X):
    """Share of rows with the class that the plain columns give."""
    return np.mean(model.predict(other_X) == plain_fit().predict(X))


@pytest.mark.parametrize("dtype", ["string", object])
def test_a_missing_number_among_text_is_named_by_column_and_row(dtype):
    text = pd.DataFrame(X, columns=COLUMNS).astype(str).astype({"weight": dtype})
    np.testing.assert_array_equal(CSVOR().fit(text, Y).coef_, plain_fit().coef_)
    text.loc[3, "weight"] = None
    with pytest.raises(ValueError, match="contains NaN: column 'weight', row 3 "):
        CSVOR().fit(text, Y)
    assert text["weight"].dtype == dtype


# N11: units.


@pytest.mark.parametrize("shift", [[1e4, 0], [0, -1e6], [1e4, 1e7], [-3e3, 1e8]], ids=str)
def test_n11_a_shift_does_not_matter(shift):
    model, messages = fit_and_warnings(X + shift)
    assert messages == []
    assert agreement(model, X + shift) == 1.0
    np.testing.assert_allclose(model.coef_, plain_fit().coef_, rtol=1e-5)


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("column", "scale"),
    [
        (1, [1, 1e8]),
        (0, [1e8, 1]),
        (1, [1, 1e100]),
        (1, [1, 1e-8]),
        (0, [1e-9, 1e-9]),
        (0, [1e8, 1e8]),
    ],
    ids=str,
)
def test_n11_a_column_of_another_size_changes_little_or_is_named_with_its_range(
    column, scale, named
):
    scaled = X * scale
    given = pd.DataFrame(scaled, columns=COLUMNS) if named else scaled
    model, messages = fit_and_warnings(given)
    assert model.converged_
    assert np.isfinite(model.coef_).all()
    if agreement(model, given) < 0.95:
        message = " ".join(messages)
        assert (repr(COLUMNS[column]) if named else f"column {column}") in message
        numbers = [float(number) for number in re.findall(r"-?\d+\.?\d*(?:e[+-]?\d+)?", message)]
        for end in (scaled[:, column].min(), scaled[:, column].max()):
            assert any(number == pytest.approx(end, rel=0.01) for number in numbers)


@pytest.mark.parametrize("scale", [1e8, 1e100, 1e-9, 1e-100])
def test_n11_a_scaler_before_the_model_undoes_any_size(scale):
    model = make_pipeline(StandardScaler(), CSVOR())
    expected = model.fit(X, Y).predict(X)
    scaled = X * [1.0, scale] + [1e4, 0.0]
    np.testing.assert_array_equal(model.fit(scaled, Y).predict(scaled), expected)


@pytest.mark.parametrize(
    "column",
    [1e200 * X[:, 1], 1e307 * X[:, 1], 1e-200 * X[:, 1], np.full(90, 1e300), np.full(90, -1e200)],
    ids=["1e200", "1e307", "1e-200", "all 1e300", "all -1e200"],
)
def test_n11_values_whose_square_is_no_number_are_fitted_or_named(column):
    """Refused, or fitted as if the column had an ordinary size, or with a warning."""
    extreme = np.column_stack([X[:, 0], column])
    try:
        model, messages = fit_and_warnings(extreme)
    except ValueError as error:
        assert "column 1" in str(error)
        return
    assert np.isfinite(model.coef_).all()
    constant = np.ptp(column) == 0
    assert constant or "column 1" in " ".join(messages)
    ordinary = np.column_stack([X[:, 0], np.zeros(90)])
    same = np.mean(model.predict(extreme) == CSVOR().fit(ordinary, Y).predict(ordinary))
    assert same >= 0.95


# N12: useless columns.


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("value", [7.0, 0.0, -1e8, 0.1, 1e-12])
def test_n12_a_constant_column_changes_nothing(value, place):
    wide = np.insert(X, place, value, axis=1)
    model, messages = fit_and_warnings(wide)
    assert messages == []
    assert model.coef_[place] == 0.0
    np.testing.assert_allclose(np.delete(model.coef_, place), plain_fit().coef_, rtol=1e-9)
    assert agreement(model, wide) == 1.0


@pytest.mark.parametrize(
    "by", [[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], ids=["x1", "-x1", "x2", "sum"]
)
def test_n12_a_dependent_column_is_harmless(by):
    """A column ``x by`` makes the penalty of a score ``x u`` that of ``(I + by by')^-1``: no more.

    So the fit is that of two columns of another size, and near the plain one.
    """
    wide = np.column_stack([X, X @ by])
    model, messages = fit_and_warnings(wide)
    assert messages == []
    assert np.abs(model.coef_).max() < 2
    sized = X @ np.linalg.cholesky(np.eye(2) + np.outer(by, by))
    narrow = CSVOR().fit(sized, Y)
    scores = model.predict_projection(wide)
    np.testing.assert_allclose(scores, narrow.predict_projection(sized), rtol=1e-6, atol=1e-6)
    np.testing.assert_allclose(model.thresholds_, narrow.thresholds_, rtol=1e-6)
    # The penalty is another, and so may be the local optimum: one as low, on these noisy rows.
    coef, plain = model.coef_[:2] + model.coef_[2] * np.array(by), plain_fit()
    as_plain = 0.5 * coef @ coef + stated_loss(model, model.residuals_, np.ones(90))
    assert as_plain == pytest.approx(plain.objective_, rel=0.01)
    assert np.mean(model.outliers_ == plain.outliers_) >= 0.95


@pytest.mark.parametrize("copies", [2, 5])
def test_n12_copies_of_all_columns_are_a_change_of_strength(copies):
    """A weight split over k copies costs a k-th of the penalty."""
    wide = np.hstack([X] * copies)
    model, messages = fit_and_warnings(wide)
    assert messages == []
    single = CSVOR(C=copies).fit(X, Y)
    np.testing.assert_allclose(model.coef_.reshape(copies, 2).sum(axis=0), single.coef_, rtol=1e-6)
    np.testing.assert_array_equal(model.predict(wide), single.predict(X))


@pytest.mark.parametrize("base", [1e8, 1e6, -1e9])
def test_n12_a_column_that_hardly_varies_does_not_blow_up(base):
    column = np.full(90, base)
    column[-1] += 1
    wide = np.column_stack([X, column])
    model, messages = fit_and_warnings(wide)
    assert messages == []
    assert abs(model.coef_[2]) < 1
    assert agreement(model, wide) >= 0.99


@pytest.mark.parametrize("number", range(3))
def test_n12_six_rows_with_forty_columns_are_fitted(number):
    wide = np.random.default_rng(number).normal(size=(6, 40))
    y = np.array([0, 0, 1, 1, 2, 2])
    model, messages = fit_and_warnings(wide, y)
    assert messages == []
    assert np.isfinite(model.coef_).all()
    np.testing.assert_array_equal(model.predict(wide), y)


# N13: broken values.


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf], ids=str)
@pytest.mark.parametrize(("row", "column"), [(3, 0), (0, 1), (11, 2)])
@pytest.mark.parametrize("kind", ["list", "float32", "pandas", "polars"])
def test_n13_nan_and_infinity_are_refused_with_column_and_row(bad, row, column, kind):
    x, y = b12()
    good = np.hstack([x, x[::-1], x % 5])
    broken = good.copy()
    broken[row, column] = bad
    names = ["length", "width", "height"]
    make = {
        "list": np.ndarray.tolist,
        "float32": lambda values: values.astype("f4"),
        "pandas": lambda values: pd.DataFrame(values, columns=names, index=range(12, 0, -1)),
        "polars": lambda values: pl.DataFrame(values, schema=names),
    }[kind]
    where = repr(names[column]) if kind in ("pandas", "polars") else str(column)
    value = "NaN" if np.isnan(bad) else "infinity"
    complaint = rf"contains {value}.*column {where}, row {row} "
    with pytest.raises(ValueError, match=complaint):
        CSVOR().fit(make(broken), y)
    model = CSVOR(p=2).fit(make(good), y)
    with pytest.raises(ValueError, match=complaint):
        model.predict(make(broken))
    with pytest.raises(ValueError, match=complaint):
        model.residuals(make(broken), y)


def test_n13_missing_values_of_tables_are_refused_too():
    column = pd.array([1.0, None] * 6, dtype="Float64")
    with pytest.raises(ValueError, match=r"NaN: column 'b', row 1 \(6 such value\(s\) in 1 col"):
        CSVOR().fit(pd.DataFrame({"a": range(12), "b": column}), b12()[1])


@pytest.mark.parametrize("number", range(5))
def test_n13_a_mistyped_value_is_named_and_a_clipper_mends_it(number):
    """x1 of the second row is 3000; without it the error on clean rows is about 0.04."""
    X, y = g(number, 200)
    X[1, 0] = 3000.0
    clean, truth = g(1000 + number, 2000)
    with pytest.warns(UserWarning, match=r"column 0 has the value 3000 in row 1, \d{3,4} inter"):
        CSVOR().fit(X, y)
    for steps in ([MedianClipper()], [MedianClipper(), StandardScaler()]):
        model = make_pipeline(*steps, CSVOR()).fit(X, y)  # and nothing warns
        assert mean_absolute_error(truth, model.predict(clean)) < 0.10


@pytest.mark.parametrize("value", [-3000.0, 1e6, 1e12])
@pytest.mark.parametrize("column", ["x1", "x2"])
def test_n13_a_mistyped_value_is_named_wherever_it_is(value, column):
    X, y = g(7, 500)
    table = pd.DataFrame(X, columns=["x1", "x2"])
    table.loc[123, column] = value
    with pytest.warns(UserWarning, match=rf"column '{column}' has the value .* in row 123, ") as w:
        CSVOR(p=2).fit(table, y)
    assert sum("row 123" in str(warning.message) for warning in w) == 1
    others = [warning for warning in w if "row 123" not in str(warning.message)]
    assert all("predict never returns class" in str(warning.message) for warning in others)


@pytest.mark.parametrize("draw", ["normal", "uniform", "exponential", "lognormal", "laplace"])
def test_n13_ordinary_columns_do_not_warn(draw):
    X = getattr(np.random.default_rng(1), draw)(size=(200, 2))
    assert fit_and_warnings(X, np.arange(200) % 3, p=2)[1] == []


# N15: columns out of place.


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_n15_columns_are_checked_by_name(frame):
    def table(**columns):
        return frame({name: X[:, k] for name, k in columns.items()})

    model = CSVOR().fit(table(a=0, b=1), Y)
    assert model.feature_names_in_.tolist() == ["a", "b"]
    expected = model.predict(table(a=0, b=1))
    for method in (model.predict, model.predict_proba, model.decision_function):
        with pytest.raises(ValueError, match="must be in the same order as they were in fit"):
            method(table(b=1, a=0))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- c"):
        model.predict(table(a=0, b=1, c=0))
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- z\n(.|\n)*now missing:\n- b"):
        model.predict(table(a=0, z=1))
    with pytest.raises(ValueError, match="must be in the same order"):
        model.residuals(table(b=1, a=0), Y)
    with pytest.warns(UserWarning, match="X does not have valid feature names, but CSVOR was"):
        np.testing.assert_array_equal(model.predict(X), expected)


@pytest.mark.parametrize("width", [1, 3])
def test_n15_a_wrong_width_is_refused_with_both_widths(width):
    model = CSVOR().fit(X, Y)
    assert model.n_features_in_ == 2
    with pytest.raises(ValueError, match=f"X has {width} features, but CSVOR is expecting 2 feat"):
        model.predict(np.ones((5, width)))


def test_a_series_of_features_is_no_table():
    with pytest.raises(ValueError, match=r"Expected (a )?2"):
        CSVOR().fit(pd.Series(np.arange(9.0)), np.repeat([1, 2, 3], 3))


def test_n75_far_values_do_not_depend_on_how_many_columns_are_read_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    X = np.random.default_rng(0).normal(size=(40, 7))
    X[3, 1], X[5, 6] = 1e6, -1e7
    columns = np.array([0, 1, 4, 6])
    for rows in (X, sparse.csr_array(X), X.astype(np.float32)):
        monkeypatch.setattr(ranges, "_AT_ONCE", 1_000_000)
        together = list(ranges.quartiles_of(rows, columns))
        monkeypatch.setattr(ranges, "_AT_ONCE", 80)
        for one, other, j in zip(
            together, ranges.quartiles_of(rows, columns), columns, strict=True
        ):
            np.testing.assert_array_equal(one, other)
            values = np.sort(X[:, j].astype(getattr(rows, "dtype", float)).astype(float))
            np.testing.assert_allclose(one[1], (values[19] + values[20]) / 2.0)
    far = [(value, row) for _, value, row in ranges.farthest_of(X, np.arange(40) + 100, columns)]
    assert far[1] == (1e6, 103) and far[3] == (-1e7, 105)
    assert list(ranges.quartiles_of(X, columns[:0])) == []
