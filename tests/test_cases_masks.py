"""Case N46: what a masked array hides counts as missing."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, SVOREX, OrdinalRegression, audit_labels, audit_raters
from csvor.corruption import flip_labels, spoil_features
from csvor.metrics import mean_zero_one_error, weighted_kappa
from csvor.preprocessing import MedianClipper
from problems import b12, logistic_rows

X, Y = logistic_rows()
X12, RANK = b12()

MASK = np.zeros(X.shape, dtype=bool)
MASK[7, 1] = True
HIDDEN = np.ma.masked_array(np.where(MASK, 1e9, X), mask=MASK)
FULL = {
    "no mask": np.ma.masked_array(X),
    "nothing masked": np.ma.masked_array(X, mask=np.zeros(X.shape, dtype=bool)),
}


@pytest.mark.parametrize(
    "work",
    [
        lambda X: CSVOR().fit(X, Y),
        lambda X: SVOREX(kernel="rbf").fit(X, Y),
        lambda X: CSVOR().fit_many(X, Y, [{"C": 1.0}]),
        lambda X: CSVOR().fit(X, Y).predict(X),
        lambda X: CSVOR().fit(X, Y).predict_proba(X),
        lambda X: CSVOR().fit(X, Y).residuals(X, Y),
        lambda X: CSVOR().fit(X, Y).score(X, Y),
        lambda X: audit_labels(X, Y, CSVOR()),
        lambda X: audit_labels(X, Y, make_pipeline(StandardScaler(), CSVOR())),
        lambda X: audit_labels(X, Y, [CSVOR(), SVOREX()]),
    ],
)
def test_n46_a_masked_value_is_refused_as_nan(work):
    with pytest.raises(ValueError, match=r"X contains NaN: column 1, row 7 \(1 such value"):
        work(HIDDEN)
    whole = np.ma.masked_array(10 * X.round(), dtype=int, mask=MASK)
    with pytest.raises(ValueError, match=r"X contains NaN: column 1, row 7 \(1 such value"):
        work(whole)
    for full in FULL.values():
        work(full)


@pytest.mark.parametrize("kind", FULL)
def test_n46_a_mask_that_masks_nothing_changes_nothing(kind):
    model = CSVOR().fit(FULL[kind], Y, sample_weight=np.ma.masked_array(np.ones(90)))
    np.testing.assert_array_equal(model.coef_, CSVOR().fit(X, Y).coef_)
    np.testing.assert_array_equal(model.predict(FULL[kind]), CSVOR().fit(X, Y).predict(X))


@pytest.mark.parametrize("hidden", [1.0, 0.0, -1.0, np.nan])
def test_n46_a_masked_weight_is_refused(hidden):
    weights = np.ma.masked_array(np.ones(90), mask=np.arange(90) == 4)
    weights.data[4] = hidden
    named = r"sample_weight (is nan in|contains NaN:) row 4"
    for work in (CSVOR().fit, SVOREX().fit, CSVOR().fit(X, Y).score):
        with pytest.raises(ValueError, match=named):
            work(X, Y, sample_weight=weights)
    for measure in (mean_zero_one_error, weighted_kappa):
        with pytest.raises(ValueError, match=named):
            measure(Y, Y, sample_weight=weights)
        full = np.ma.masked_array(np.ones(90), mask=np.zeros(90, dtype=bool))
        assert measure(Y, Y, sample_weight=full) == measure(Y, Y)


@pytest.mark.parametrize(
    ("value", "kind"), [(np.nan, "NaN"), (None, "NaN"), (-np.inf, "infinity"), (np.inf, "infinity")]
)
def test_n46_weights_that_are_not_finite_are_refused_by_row(value, kind):
    weights = np.ones(90, dtype=object)
    weights[[5, 8]] = value
    with pytest.raises(ValueError, match=rf"sample_weight contains {kind}.*: row 5\."):
        CSVOR().fit(X, Y, sample_weight=weights)


@pytest.mark.parametrize("dtype", ["f4", "f8"])
def test_n46_the_clipper_takes_a_masked_value_for_nan(dtype):
    hidden, clipper = HIDDEN.astype(dtype), MedianClipper()
    found = clipper.fit_transform(hidden)
    given = np.where(MASK, np.nan, X).astype(dtype)
    assert found.dtype == dtype
    np.testing.assert_array_equal(found, MedianClipper().fit_transform(given))
    np.testing.assert_array_equal(np.isnan(found), MASK)
    np.testing.assert_array_equal(np.isnan(clipper.transform(hidden)), MASK)


def test_n46_a_masked_label_is_missing():
    masked = np.ma.masked_array(RANK, mask=np.arange(12) == 4)
    for work in (CSVOR().fit, audit_labels):
        with pytest.raises(ValueError, match=r"1 of 12 labels is missing \(row 4, "):
            work(X12, masked)
    assert CSVOR().fit(X12, np.ma.masked_array(RANK)).score(X12, RANK) == 1.0


NAMES = np.ma.masked_array(np.array(list("abcdef"))[np.arange(90) % 6], mask=np.arange(90) == 4)
CODES = np.ma.masked_array(np.arange(90) % 6, mask=NAMES.mask)


@pytest.mark.parametrize("names", [NAMES, CODES], ids=["words", "numbers"])
@pytest.mark.parametrize(
    "work",
    [
        lambda names: audit_labels(X, Y, CSVOR(), groups=names),
        lambda names: audit_labels(X, Y, CSVOR(), raters=names),
        lambda names: audit_raters(None, Y, np.arange(90) // 2, names),
        lambda names: OrdinalRegression().fit(X, Y, raters=names),
        lambda names: OrdinalRegression().fit(X, Y).sandwich(groups=names),
        lambda names: flip_labels(names, 0.1),
    ],
)
def test_n46_a_masked_name_is_missing(work, names):
    with pytest.raises(ValueError, match=r"(has no|is missing).* row 4"):
        work(names)


def test_n46_what_is_confirmed_has_no_mask():
    hidden = np.ma.masked_array(np.ones(90, dtype=bool), mask=NAMES.mask)
    with pytest.raises(ValueError, match="confirmed must be True or False for each"):
        audit_labels(X, Y, CSVOR(), confirmed=hidden)


def test_n46_features_to_spoil_keep_their_gaps():
    assert np.isnan(spoil_features(HIDDEN, 0.0)[0][7, 1])


def test_n46_dates_under_a_mask_are_no_numbers():
    dates = np.ma.masked_array(np.arange(90).astype("M8[D]")[:, None], mask=NAMES.mask)
    with pytest.raises(ValueError, match="X holds dates or times"):
        CSVOR().fit(dates, Y)
