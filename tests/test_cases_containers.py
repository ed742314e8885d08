"""Case N47: frames and columns of pandas, polars and Arrow, as labels and as features."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning

from csvor import CSVOR, SVOREX, OrdinalRegression, audit_labels, audit_scores, audit_table
from csvor.metrics import get_scorer, mean_absolute_error, weighted_kappa
from csvor.plots import RobustnessDisplay, ThresholdDisplay
from csvor.preprocessing import MedianClipper
from problems import b12, g, logistic_rows

WORDS = ["low", "medium", "high"]
X12, RANK = b12()
RANKED = np.array(WORDS)[RANK]
X, Y = logistic_rows()
COLUMNS = ["age", "weight"]

# Labels.

DICTIONARY = pa.DictionaryArray.from_arrays(pa.array(RANK.astype("i1")), WORDS, ordered=True)
ORDERED_ARROW = {
    "array": DICTIONARY,
    "chunks": pa.chunked_array([DICTIONARY[:5], DICTIONARY[5:]]),
    "pandas": pd.Series(pd.arrays.ArrowExtensionArray(DICTIONARY), index=range(3, 15)),
    "pandas array": pd.arrays.ArrowExtensionArray(DICTIONARY),
    "unused category": pa.DictionaryArray.from_arrays(
        pa.array(RANK.astype("u1")), [*WORDS, "never"], ordered=True
    ),
}


@pytest.mark.parametrize("kind", ORDERED_ARROW)
@pytest.mark.filterwarnings("ignore:No rows of class 'never'")
def test_n47_ordered_arrow_dictionaries_keep_their_order(kind):
    y = ORDERED_ARROW[kind]
    model = CSVOR().fit(X12, y)
    assert model.classes_.tolist() == WORDS + ["never"] * (kind == "unused category")
    assert model.predict(X12).tolist() == RANKED.tolist()
    assert model.score(X12, y) == 1.0
    assert mean_absolute_error(y, model.predict(X12)) == 0.0


@pytest.mark.parametrize("kind", ["array", "pandas"])
def test_n47_an_unordered_arrow_dictionary_counts_as_its_values(kind):
    def column(values):
        codes = pa.array(RANK.astype("i1"))
        made = pa.DictionaryArray.from_arrays(codes, values, ordered=False)
        return made if kind == "array" else pd.Series(pd.arrays.ArrowExtensionArray(made))

    with pytest.raises(ValueError, match="without an order: 'high', 'low', 'medium'"):
        CSVOR().fit(X12, column(WORDS))
    assert CSVOR(classes=WORDS).fit(X12, column(WORDS)).predict(X12).tolist() == RANKED.tolist()
    falling = CSVOR().fit(X12, column([9, 5, 1]))
    assert falling.classes_.tolist() == [1, 5, 9]
    assert falling.predict(X12).tolist() == np.array([9, 5, 1])[RANK].tolist()


def test_n47_chunks_with_other_dictionaries():
    """Unordered ones are one column; ordered ones contradict each other."""

    def chunks(*listed, ordered):
        kind = pa.dictionary(pa.int8(), pa.string(), ordered=ordered)
        made = [
            pa.DictionaryArray.from_arrays(
                pa.array([values.index(word) for word in words], pa.int8()), values, ordered=ordered
            )
            for values, words in listed
        ]
        return pa.chunked_array(made, type=kind)

    words = RANKED.tolist()
    parts = (["low", "medium"], words[:8]), (["high"], words[8:])
    y = chunks(*parts, ordered=False)
    assert CSVOR(classes=WORDS).fit(X12, y).predict(X12).tolist() == RANKED.tolist()
    with pytest.raises(
        ValueError, match=r"chunks of y .* 'low', 'medium' against 'high'.*classes=\[\.\.\.\]"
    ):
        CSVOR().fit(X12, chunks(*parts, ordered=True))


@pytest.mark.parametrize(
    "column",
    [
        DICTIONARY.take(pa.array([0, None, *range(2, 12)])),
        pa.DictionaryArray.from_arrays(
            pa.array(np.where(np.arange(12) == 1, 3, RANK)), [*WORDS, None]
        ),
        pa.array(["1", None, *RANK[2:].astype(str)]),
        pd.Series(["1", None, *RANK[2:].astype(str)], dtype=pd.ArrowDtype(pa.string())),
        pl.Series(["1", None, *RANK[2:].astype(str)]),
        pl.Series([WORDS[0], None, *np.array(WORDS)[RANK[2:]]], dtype=pl.Enum(WORDS)),
        pl.Series(["1", None, *RANK[2:].astype(str)], dtype=pl.Categorical),
    ],
    ids=["code", "value", "Arrow text", "pandas", "polars", "Enum", "Categorical"],
)
def test_n47_missing_labels_are_found_in_arrow_columns(column):
    with pytest.raises(ValueError, match=r"1 of 12 labels is missing \(row 1, "):
        CSVOR().fit(X12, column)


DECIMALS = [Decimal(int(k)).quantize(Decimal("1.00")) for k in 3 * RANK + 1]
each_decimal = pytest.mark.parametrize(
    "column",
    [
        pa.array(DECIMALS, pa.decimal128(6, 2)),
        pa.chunked_array([DECIMALS[:5], DECIMALS[5:]]),
        pd.Series(DECIMALS, dtype=pd.ArrowDtype(pa.decimal128(6, 2))),
        pl.Series(DECIMALS),
        DECIMALS,
    ],
    ids=["Arrow", "chunks", "pandas", "polars", "list"],
)


@each_decimal
def test_n47_decimals_are_numbers(column):
    model = CSVOR().fit(X12, column)
    assert model.classes_.tolist() == [1, 4, 7]
    assert model.predict(X12).tolist() == DECIMALS
    assert model.score(X12, column) == 1.0
    found = audit_labels(X12, column, CSVOR(), cv=3).suggested.tolist()
    assert found == audit_labels(X12, 3 * RANK + 1, CSVOR(), cv=3).suggested.tolist()
    assert all(type(label) is Decimal for label in found)
    assert mean_absolute_error(column, 3 * RANK + 1) == 0.0
    np.testing.assert_array_equal(model.coef_, CSVOR().fit(X12, RANK).coef_)


@each_decimal
def test_n47_decimals_take_a_class_list(column):
    assert CSVOR(classes=[1, 4, 7]).fit(X12, column).predict(X12).tolist() == DECIMALS


def test_n47_a_lazy_frame_of_labels_has_to_be_collected():
    frame = pl.DataFrame({"y": RANK})
    for work in (CSVOR().fit, CSVOR().fit(X12, RANK).score, audit_labels):
        with pytest.raises(ValueError, match=r"y is a LazyFrame.* Pass y\.collect\(\)\."):
            work(X12, frame.lazy())
    with pytest.raises(ValueError, match=r"y_true is a LazyFrame.* Pass y_true\.collect\(\)\."):
        mean_absolute_error(frame.lazy(), RANK)
    with pytest.warns(DataConversionWarning):
        CSVOR().fit(X12, frame.lazy().collect())


# Features.

NAMES = np.array(["red", "green", "blue"])[np.arange(90) % 3]
DAYS = pd.date_range("2020-01-01", periods=90)
FRAME = pd.DataFrame(X, columns=COLUMNS)
FITS = {
    "fit": lambda X: CSVOR().fit(X, Y),
    "kernel": lambda X: SVOREX(kernel="rbf").fit(X, Y),
    "clipper": lambda X: MedianClipper().fit(X),
}
each_fit = pytest.mark.parametrize("work", FITS.values(), ids=FITS)


@each_fit
def test_n47_a_lazy_frame_has_to_be_collected(work):
    frame = pl.DataFrame(X, schema=COLUMNS)
    with pytest.raises(TypeError, match=r"X is a LazyFrame.* Pass X\.collect\(\)\."):
        work(frame.lazy())
    with pytest.raises(TypeError, match=r"Pass X\.collect\(\)\."):
        CSVOR().fit(X, Y).predict(frame.lazy())
    assert work(frame.lazy().collect()).feature_names_in_.tolist() == COLUMNS


@each_fit
@pytest.mark.parametrize(
    "frame",
    [
        FRAME.assign(hue=NAMES),
        FRAME.assign(hue=pd.Series(NAMES, dtype=object)),
        FRAME.assign(hue=pd.Categorical(NAMES)),
        FRAME.assign(hue=NAMES).convert_dtypes(dtype_backend="pyarrow"),
        pd.DataFrame({"hue": NAMES}, index=DAYS),
        pl.DataFrame(X, schema=COLUMNS).with_columns(hue=pl.Series(NAMES.tolist())),
        pl.DataFrame({"hue": pl.Series(NAMES.tolist(), dtype=pl.Categorical)}),
        pa.table({"age": X[:, 0], "hue": NAMES}),
    ],
)
def test_n47_a_column_of_words_is_named(work, frame):
    named = r"'red' in column 'hue', row 0 \(90 such value\(s\)\)\. Encode the column as numbers"
    with pytest.raises(ValueError, match=named):
        work(frame)


def test_n47_words_among_numbers_are_counted_and_located():
    texts = X[:, 1].astype(str).astype(object)
    model = CSVOR().fit(FRAME.assign(weight=texts), Y)
    np.testing.assert_array_equal(model.coef_, CSVOR().fit(X, Y).coef_)
    texts[[6, 20]] = "n/a"
    named = r"'n/a' in column 'weight', row 6 \(2 such value\(s\)\)\. Write these values as numbers"
    with pytest.raises(ValueError, match=named):
        CSVOR().fit(FRAME.assign(weight=texts), Y)
    with pytest.raises(ValueError, match=named):
        model.predict(FRAME.assign(weight=texts))
    with pytest.raises(ValueError, match=named.replace("'weight'", "1")):
        CSVOR().fit(FRAME.assign(weight=texts).to_numpy(), Y)
    with pytest.raises(ValueError, match=r"unseen at fit time:\n- hue"):
        model.predict(FRAME.assign(hue=NAMES))


@each_fit
@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"day": DAYS}),
        pd.DataFrame({"day": DAYS.tz_localize("UTC")}),
        pd.DataFrame({"day": DAYS - DAYS[0]}),
        pd.DataFrame({"day": DAYS.to_period("D")}),
        pd.DataFrame({"day": DAYS.date}),
        pd.DataFrame({"day": pd.Series(DAYS, dtype=pd.ArrowDtype(pa.timestamp("us")))}),
        pd.DataFrame({"day": pd.Series(DAYS.date, dtype=pd.ArrowDtype(pa.date32()))}),
        FRAME.assign(day=DAYS),
        pl.DataFrame({"day": DAYS.to_numpy()}),
        pl.DataFrame({"day": DAYS.date}),
        pl.DataFrame({"day": (DAYS - DAYS[0]).to_numpy()}),
        pl.DataFrame({"day": DAYS.time}),
        pa.table({"age": X[:, 0], "day": DAYS.to_numpy()}),
    ],
)
def test_n47_a_column_of_dates_is_named(work, frame):
    with pytest.raises(ValueError, match=r"X holds dates or times.* in column 'day', row 0\. "):
        work(frame)


def test_n47_an_array_of_dates_is_refused():
    with pytest.raises(ValueError, match=r"X holds dates or times.* in column 0, row 0"):
        CSVOR().fit(DAYS.to_numpy()[:, None], Y)


def _audit(X, y, **others):
    return audit_labels(X, y, CSVOR(), cv=2, **others)


OTHER_ORDERS = {
    "y of a fit": lambda X, y, mixed: CSVOR().fit(X, mixed),
    "weights of a fit": lambda X, y, mixed: SVOREX().fit(X, y, sample_weight=mixed + 1.0),
    "y of a score": lambda X, y, mixed: CSVOR().fit(X, y).score(X, mixed),
    "y of residuals": lambda X, y, mixed: CSVOR().fit(X, y).residuals(X, mixed),
    "y of a regression": lambda X, y, mixed: OrdinalRegression().fit(X, mixed),
    "raters": lambda X, y, mixed: OrdinalRegression().fit(X, y, raters=mixed),
    "y of an audit": lambda X, y, mixed: _audit(X, mixed),
    "groups": lambda X, y, mixed: _audit(X, y, groups=mixed),
    "confirmed": lambda X, y, mixed: _audit(X, y, confirmed=mixed > 1),
    "y of scores": lambda X, y, mixed: audit_scores(X["a"], mixed),
    "weights where X has no index": lambda X, y, mixed: CSVOR().fit(
        X.to_numpy(), y, sample_weight=mixed + 1.0
    ),
    "y of a measure": lambda X, y, mixed: mean_absolute_error(y, mixed),
    "weights of a measure": lambda X, y, mixed: weighted_kappa(
        y.to_numpy(), y, sample_weight=mixed + 1.0
    ),
    "y of a scorer": lambda X, y, mixed: get_scorer("quadratic_kappa")(CSVOR().fit(X, y), X, mixed),
    "y of a display": lambda X, y, mixed: ThresholdDisplay.from_estimator(
        CSVOR().fit(X, y), X, mixed
    ),
    "y of columns that are drawn": lambda X, y, mixed: ThresholdDisplay.from_predictions(
        X["a"], mixed, [-2, -1, 1, 2]
    ),
    "y of a display of fits": lambda X, y, mixed: RobustnessDisplay.from_estimator(
        CSVOR(), X, mixed
    ),
}


@pytest.mark.parametrize("case", OTHER_ORDERS)
def test_n55_the_index_of_the_rows_in_another_order_is_refused(case):
    X, y = g(0, 60)
    X = pd.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(60)])
    y = pd.Series(y, index=X.index)
    with pytest.raises(ValueError, match="has the index of the rows in another order"):
        OTHER_ORDERS[case](X, y, y[::-1])


def test_n55_an_index_that_is_no_permutation_goes_by_position():
    X, y = g(0, 60)
    X = pd.DataFrame(X, columns=["a", "b"])
    plain = CSVOR().fit(X, y)
    for index in (range(60, 120), [0] * 60, [f"r{i}" for i in range(60)]):
        by_position = CSVOR().fit(X, pd.Series(y, index=index))
        np.testing.assert_array_equal(by_position.coef_, plain.coef_)


def test_n55_indexes_of_other_names_or_levels_go_by_position():
    X, y = g(0, 60)
    X = pd.DataFrame(X, columns=["a", "b"])
    levels = pd.MultiIndex.from_arrays([np.arange(60), np.arange(60)])
    by_position = CSVOR().fit(X, pd.Series(y, index=levels))
    np.testing.assert_array_equal(by_position.coef_, CSVOR().fit(X, y).coef_)


@pytest.mark.parametrize("asked", ["columns beside", "shares", "a table"])
def test_n55_an_audit_knows_the_index_of_its_rows(asked):
    X, y = g(0, 60)
    X = pd.DataFrame(X, columns=["a", "b"], index=[f"r{i}" for i in range(60)])
    audit = audit_scores(X["a"], pd.Series(y, index=X.index))
    confirmed = pd.Series(np.arange(60) < 3, index=X.index)
    with pytest.raises(ValueError, match="has the index of the rows in another order"):
        if asked == "columns beside":
            audit.to_frame(X[::-1])
        elif asked == "shares":
            audit.by(pd.Series(np.arange(60) % 2, index=X.index)[::-1])
        else:
            audit_table(X.assign(grade=y), target="grade", confirmed=confirmed[::-1])
    assert audit.to_frame(X).loc["r7", "a"] == X.loc["r7", "a"]
