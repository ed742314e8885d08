"""The share of wrong labels for each value of a column: by hand, by draws, and what is refused."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import chi2

from csvor import audit_labels, audit_scores
from csvor.audit._shares_by import shares_by


def spoilt(seed, sizes, rates, n_classes=5):
    """Scores, labels of which a part is wrong in each batch, and the batches, well mixed."""
    rng = np.random.default_rng(seed)
    batch = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    score = rng.normal(size=batch.size)
    cuts = np.quantile(score, np.arange(1, n_classes) / n_classes)
    y = np.digitize(score + 0.1 * rng.normal(size=batch.size), cuts)
    wrong = rng.random(batch.size) < np.array(rates)[batch]
    y[wrong] = (y[wrong] + rng.integers(1, n_classes, wrong.sum())) % n_classes
    return score, y, batch


def by_hand(values, ratios, weights=None, **options):
    flagged = np.asarray(ratios) > 1.0
    options = {"counts": 1.0, "conclusive": True} | options
    return shares_by(values, np.asarray(ratios, dtype=float), weights, flagged, **options)


def test_two_values_by_hand():
    """a labels of ratio 3 and b of 1/2: the slope 2a / (1 + 2t) - b/2 / (1 - t/2) is 0 where
    t = (2a - b/2) / (a + b): 4 and 6 give .5, 2 and 8 give 0, and all together, 6 and 14, .25.
    """
    shares = by_hand(list("A" * 10 + "B" * 10), [3.0] * 4 + [0.5] * 6 + [3.0] * 2 + [0.5] * 8)
    np.testing.assert_allclose(shares.share, [0.5, 0.0], atol=1e-9)
    apart = 4 * np.log(2.0) + 6 * np.log(0.75)
    together = 6 * np.log(1.5) + 14 * np.log(0.875)
    np.testing.assert_allclose(shares.p_value, chi2.sf(2 * (apart - together), 1))
    # One test of two values.
    np.testing.assert_allclose(shares.adjusted_p_value, shares.p_value)
    assert (shares.n_rows.tolist(), shares.named.tolist()) == ([10, 10], [4, 2])
    for end in (shares.low[0], shares.high[0]):
        fall = apart - 4 * np.log1p(2 * end) - 6 * np.log1p(-end / 2)
        assert abs(fall - 1.92) < 1e-6 or end in (0.0, 1.0)
    assert shares.low[0] == 0.0 < shares.share[0] < shares.high[0]


def test_a_review_leaves_what_it_has_not_set_right():
    """One label was wrong (infinite), nine have 1/2: log t + 9 log(1 - t/2) is greatest at .2. Two
    of ten were wrong, one is set right, and so one of nine is.
    """
    shares = by_hand(list("A" * 10 + "B" * 4), [np.inf] + [0.5] * 9 + [0.0] * 4)
    np.testing.assert_allclose(shares.share, [1 / 9, 0.0], rtol=1e-6)


def test_weights_are_repetitions_and_rows_have_no_order(rng):
    ratios, values = rng.lognormal(0, 3, 300), rng.integers(0, 6, 300)
    times = rng.integers(0, 4, 300)
    weighted = by_hand(values, ratios, times.astype(float)).to_frame()
    again = by_hand(np.repeat(values, times), np.repeat(ratios, times)).to_frame()
    counts = ["n_rows", "named"]  # those are of rows
    pd.testing.assert_frame_equal(weighted.drop(columns=counts), again.drop(columns=counts))
    order = rng.permutation(300)
    pd.testing.assert_frame_equal(
        by_hand(values[order], ratios[order]).to_frame(), by_hand(values, ratios).to_frame()
    )


def test_partitions_say_what_memory_says(rng):
    da = pytest.importorskip("dask.array")
    ratios, weights = rng.lognormal(0, 3, 300), rng.exponential(size=300)
    values = np.array(["x", "yy", None], dtype=object)[rng.integers(0, 3, 300)]
    options = {"counts": 0.5, "conclusive": True}
    whole = shares_by(values, ratios, weights, ratios > 1, **options).to_frame()
    parts = [da.from_array(column, chunks=70) for column in (ratios, weights, ratios > 1)]
    for column in (values, da.from_array(values, chunks=100)):
        found = shares_by(column, *parts, **options).to_frame()
        pd.testing.assert_frame_equal(found, whole)


def test_the_worst_value_is_first_however_sure_the_best_one_is():
    sizes, n_wrong = [3000, 30, 400, 400], [0, 15, 40, 41]
    values = np.repeat(list("ABCD"), sizes)
    wrong = [[20.0] * n + [0.05] * (size - n) for size, n in zip(sizes, n_wrong, strict=True)]
    shares = by_hand(values, np.concatenate(wrong))
    assert shares.differs.tolist() == ["lower", "higher", "", ""]
    assert shares.p_value[0] < shares.p_value[1]
    assert shares.values[shares.order].tolist() == ["B", "A", "D", "C"]


def test_of_a_value_without_weight_nothing_is_known():
    shares = by_hand(["a", "b"] * 20, [0.5] * 40, np.array([0.0, 1.0] * 20))
    assert (shares.low.tolist(), shares.high[0]) == ([0.0, 0.0], 1.0)
    assert 0.0 < shares.high[1] < 1.0
    assert shares.differs.tolist() == ["", ""]


def test_a_bad_batch_is_found_and_makes_no_other_better():
    score, y, batch = spoilt(0, [150] * 8, [0.3, *[0.03] * 7])
    audit = audit_scores(score, y)
    shares = audit.by(batch)
    assert shares.differs.tolist() == ["higher", *[""] * 7]
    assert shares.low[0] < 0.3 < shares.high[0]
    assert abs(shares.share @ shares.n_rows / y.size - audit.share) < 0.01
    assert shares.order[0] == 0
    assert int(shares.named.sum()) == audit.named


def test_a_group_that_is_wrong_as_a_whole_is_found():  # N86
    score, y, batch = spoilt(1, [20] * 40, [1.0] * 2 + [0.0] * 38)
    shares = audit_scores(score, y).by(batch)
    assert shares.differs.tolist() == ["higher", "higher", *[""] * 38]


def test_equal_shares_are_told_apart_by_chance_alone():
    told = 0
    for seed in range(20):
        score, y, batch = spoilt(seed, [40] * 15, [0.05] * 15)
        told += (audit_scores(score, y).by(batch).differs != "").any()
    assert told <= 3


def test_clean_labels_have_no_bad_batch():
    score, y, batch = spoilt(2, [60] * 10, [0.0] * 10)
    shares = audit_scores(score, y).by(batch)
    assert not (shares.differs != "").any()
    assert (shares.share < 0.01).all()


def test_where_nothing_can_be_said_no_value_differs(rng):
    audit = audit_scores(rng.normal(size=400), rng.integers(0, 4, 400))
    assert not audit.conclusive
    shares = audit.by(np.arange(400) % 3)
    assert not shares.conclusive
    assert (np.isnan(shares.share).all(), shares.differs.tolist()) == (True, [""] * 3)


def test_rows_of_groups_that_are_alike_count_less():
    ratios = np.array([5.0] * 10 + [0.2] * 30)
    whole, fewer = (by_hand(np.arange(40) // 10, ratios, counts=c) for c in (1.0, 0.1))
    np.testing.assert_allclose(fewer.share, whole.share, atol=1e-6)
    assert fewer.p_value[0] > whole.p_value[0]
    assert fewer.high[1] > whole.high[1]


def test_values_have_their_order_and_missing_ones_are_last():
    ratios = np.full(12, 0.5)
    words = [None, "b", "10", "a"] * 3
    assert by_hand(words, ratios).values.tolist() == ["10", "a", "b", None]
    assert by_hand(["10", "9", "2", "9"] * 3, ratios).values.tolist() == ["2", "9", "10"]
    assert by_hand([2.0, np.nan, 1.0] * 4, ratios).values.tolist() == [1.0, 2.0, None]
    for numbers in ([1, 2, 3], ["1", "2", "3"]):
        masked = np.ma.masked_where(np.arange(12) % 3 == 1, numbers * 4)
        assert by_hand(masked, ratios).values.tolist() == [numbers[0], numbers[2], None]
    sizes = pd.Categorical(["S", "L", "M"] * 4, ["S", "M", "L", "XL"])
    assert by_hand(sizes, ratios).values.tolist() == ["S", "M", "L"]
    assert by_hand(pd.Series(sizes), ratios).to_frame().n_rows.tolist() == [4, 4, 4]


@pytest.mark.parametrize(
    ("values", "says"),
    [
        (np.arange(40), "40 different values in 40 rows are too many"),
        (["a"] * 39, "one for each of the 40 rows"),
        (np.zeros((40, 2)), "one for each of the 40 rows"),
    ],
)
def test_what_has_no_shares_is_refused(values, says):
    with pytest.raises(ValueError, match=says):
        by_hand(values, np.ones(40))


def test_the_name_of_a_column_is_none():
    with pytest.raises(TypeError, match=r"values='site' is a name.*frame\['site'\]"):
        by_hand("site", np.ones(40))


def test_a_sentence_says_it():
    values = np.repeat(["a", "b", "c"], 100)
    ratios = np.where(np.arange(300) < 30, 50.0, 0.05)
    shares = by_hand(values, ratios, of="the weight of ")
    share, low, high = (100 * part[0] for part in (shares.share, shares.low, shares.high))
    assert shares.summary == (
        f"a is higher, {share:.1f} % of the weight of 100 rows ({low:.1f} to {high:.1f} %; 30 are "
        "flagged; p < .001); the 2 others do not differ beyond chance"
    )
    assert repr(shares) == f"SharesByValue({shares.summary})"
    assert by_hand(["a"] * 300, ratios).summary == "all rows have one value"
    alike = by_hand(values, np.tile([50.0, 0.05], 150))
    assert alike.summary == "the shares of 3 values do not differ beyond chance"
    reviewed = by_hand(values, ratios, of="the undecided among ", reviewed=True)
    assert reviewed.summary == (
        f"a was higher before the review (p < .001), now {share:.1f} % of the undecided among 100 "
        f"rows ({low:.1f} to {high:.1f} %; 30 are flagged); the 2 others did not differ beyond "
        "chance before the review"
    )
    assert by_hand(values, ratios, conclusive=False).summary == "nothing can be said of any value"


def test_an_audit_of_features_has_it_too(rng):
    X = rng.normal(size=(240, 2))
    site = np.repeat(["a", "b", "c"], 80)
    y = np.digitize(X[:, 0] + 0.05 * rng.normal(size=240), [-0.5, 0.5])
    y[:30] = (y[:30] + rng.integers(1, 3, 30)) % 3
    confirmed = np.arange(240) >= 160
    audit = audit_labels(X, y, models="own", confirmed=confirmed)
    shares = audit.by(site)
    assert shares.differs[0] == "higher"
    assert shares.share[2] == 0.0


@pytest.mark.parametrize("slips", [0.0, 0.05])
def test_shares_by_rater_agree_with_the_rows(slips):
    """Dora is a class too high: 93 to 98 % of her rows were told to be wrong, .85 are."""
    rng = np.random.default_rng(0)
    score = rng.normal(size=800)
    truth = np.digitize(score + 0.15 * rng.normal(size=800), [-1.0, -0.3, 0.3, 1.0])
    raters = rng.choice(["Ann", "Bo", "Cy", "Dora", "Eve"], 800)
    y = np.where(raters == "Dora", np.minimum(truth + 1, 4), truth)
    slipped = rng.random(800) < slips
    y[slipped] = rng.integers(0, 5, slipped.sum())
    audit = audit_scores(score, y, raters=raters)
    for values in (raters, rng.choice(["north", "south"], 800)):
        shares = audit.by(values)
        of_rows = [audit.probability[values == value].mean() for value in shares.values]
        np.testing.assert_allclose(shares.share, of_rows, atol=0.03)
        assert (shares.low <= shares.share).all() and (shares.share < shares.high).all()
    assert audit.by(raters).summary.startswith("Dora is higher, 8")


@pytest.mark.parametrize("differ", [False, True])
def test_a_bad_site_stays_one_where_raters_are_known(differ):
    """Where 12 and 16 of 30 rows are wrong, .04 and .26 were told, with ends at .11 and .34."""
    rng = np.random.default_rng(2)
    score = rng.normal(size=1000)
    truth = np.digitize(score + 0.1 * rng.normal(size=1000), [-0.5, 0.5])
    raters, site = rng.choice(["Ann", "Bo", "Cy"], 1000), np.where(np.arange(1000) < 30, "A", "B")
    y = np.where(differ & (raters == "Cy"), np.minimum(truth + 1, 2), truth)
    y[:12] = (truth[:12] + rng.integers(1, 3, 12)) % 3
    shares = audit_scores(score, y, raters=raters).by(site)
    wrong = [np.mean((y != truth)[site == value]) for value in "AB"]
    assert (shares.low <= wrong).all() and (wrong <= shares.high).all()
    assert shares.share[0] > 0.3
    if not differ:  # raters who are alike say nothing of a site
        alone = audit_scores(score, y).by(site)
        np.testing.assert_allclose(shares.share, alone.share, atol=1e-3)
