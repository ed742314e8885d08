"""Ranks, tests and critical differences, against values worked by hand; cases N27 and N28."""

import math

import numpy as np
import pandas as pd
import pytest
from scipy import stats as scipy_stats

from csvor.stats import (
    average_ranks,
    compare,
    friedman,
    holm,
    nemenyi_cd,
    rank_groups,
    wilcoxon_holm,
)
from problems import N27, N28


def test_n27_the_ranks_do_not_turn_round_with_the_measure():
    expected = {"A": 1.0, "B": 2.0, "C": 3.0}
    assert average_ranks(N27, better="lower").average.to_dict() == expected
    assert average_ranks(1.0 - N27, better="higher").average.to_dict() == expected
    assert average_ranks(N27, better="lower").best == ("A",)
    assert average_ranks(N27, better="higher").average.to_dict() == {"A": 3.0, "B": 2.0, "C": 1.0}


def test_n27_the_direction_cannot_be_left_unset():
    for function in (average_ranks, compare):
        with pytest.raises(TypeError, match="better"):
            function(N27)
        with pytest.raises(ValueError, match="'lower' or 'higher': which values are better"):
            function(N27, better="ascending")


def test_n27_friedman_by_hand():
    # Ranks 1, 2, 3 in each of 6 rows, so rank sums 6, 12, 18:
    # 12/(6*3*4) * (36 + 144 + 324) - 3*6*4 = 84 - 72 = 12; two degrees: p = exp(-12/2).
    test = friedman(N27)
    assert (test.name, test.n_cases, test.n_methods, test.note) == ("friedman", 6, 3, "")
    assert test.statistic == pytest.approx(12.0)
    assert test.p_value == pytest.approx(math.exp(-6.0))
    assert test.significant()
    assert not test.significant(alpha=0.001)


def test_n28_equal_methods_share_a_rank_and_a_bar():
    found = compare(N28, better="higher")
    assert found.ranks.average.to_dict() == {"A": 1.5, "B": 1.5, "C": 3.0}
    assert found.ranks.best == ("A", "B")
    # q = 2.343 for k = 3 at 5 % (Demsar 2006, table 5a): 2.343 * sqrt(3*4 / (6*6)) = 1.353,
    # and C is 1.5 away.
    assert found.critical_difference == pytest.approx(2.343 * math.sqrt(12 / 36), abs=6e-4)
    assert round(found.critical_difference, 3) == 1.353
    assert found.groups == (("A", "B"),)
    # Rank sums 9, 9, 18: 12/72 * (81 + 81 + 324) - 72 = 9; one tie of two in each row:
    # c = 1 - 6*(8 - 2) / (6*3*8) = 3/4; 9 / (3/4) = 12.
    assert found.test.statistic == pytest.approx(12.0)
    assert found.test.p_value == pytest.approx(math.exp(-6.0))


def test_n28a_all_equal_is_no_difference_measurable():
    found = compare(pd.DataFrame(dict.fromkeys("ABC", N28.A)), better="higher")
    assert found.ranks.average.to_dict() == {"A": 2.0, "B": 2.0, "C": 2.0}
    assert found.test.name == "none"
    assert "no difference measurable" in found.test.note
    assert math.isnan(found.test.p_value)
    assert not found.test.significant()
    assert found.groups == (("A", "B", "C"),)


def test_n28b_a_missing_cell_is_refused_or_its_case_left_out_and_counted():
    table = N28.set_axis(["s1", "s2", "s3", "s4", "s5", "s6"])
    table.loc["s3", "B"] = np.nan
    for function in (friedman, lambda t: average_ranks(t, better="higher")):
        with pytest.raises(ValueError, match=r"1 of 18 .* first gap is B on case s3.*missing='dr"):
            function(table)
    found = compare(table, better="higher", missing="drop")
    assert found.ranks.dropped == found.test.dropped == ("s3",)
    assert found.ranks.n_cases == found.test.n_cases == 5
    assert list(found.ranks.by_case.index) == ["s1", "s2", "s4", "s5", "s6"]
    assert found.critical_difference == nemenyi_cd(3, 5)
    # As before with 5 rows: (9 * 5/6) / (3/4) = 10.
    assert found.test.statistic == pytest.approx(10.0)
    table["A"] = np.inf
    with pytest.raises(ValueError, match="No case has a value for every method; the first gap"):
        friedman(table, missing="drop")


def test_n28c_two_methods_get_a_paired_test():
    # All six differences have one sign: 2 of the 2^6 patterns of signs are as far out.
    test = friedman(N28[["A", "C"]])
    assert (test.name, test.n_methods) == ("wilcoxon", 2)
    assert "two methods" in test.note
    assert test.p_value == pytest.approx(2 / 64)
    found = compare(N28[["A", "C"]], better="higher")
    assert math.isnan(found.critical_difference)
    assert found.groups == ()
    assert found.ranks.average.to_dict() == {"A": 1.0, "C": 2.0}
    same = compare(N28[["A", "B"]], better="higher")
    assert "no difference measurable" in same.test.note
    assert same.groups == (("A", "B"),)


@pytest.mark.parametrize("n", [1, 3, 4])
def test_n28d_few_cases_show_ranks_and_no_test(n):
    found = compare(N28.head(n), better="higher")
    assert found.ranks.average.to_dict() == {"A": 1.5, "B": 1.5, "C": 3.0}
    assert found.test.name == "none"
    assert f"too few for a test: {n} of at least 5" in found.test.note
    assert math.isnan(found.critical_difference)
    assert found.groups == ()
    assert not found.test.significant()


def test_two_methods_that_do_not_differ_are_one_group():
    # |differences| 1..6 with signs - + - + - +: W = min(9, 12) = 9, far from the tail.
    table = pd.DataFrame({"A": [0.0] * 6, "B": [1.0, -2.0, 3.0, -4.0, 5.0, -6.0]})
    found = compare(table, better="lower")
    assert found.test.statistic == 9.0
    assert found.test.p_value > 0.5
    assert set(found.groups[0]) == {"A", "B"}


def test_n49_groups_in_words_name_the_test():
    told = compare(N27, better="lower")
    assert told.post_hoc == "Nemenyi"
    assert told.in_words() == "Not told apart (Nemenyi, 5 %): A = B; B = C."
    assert (
        compare(N27, better="lower", alpha=0.1)
        .in_words()
        .startswith("Not told apart (Nemenyi, 10 %): ")
    )
    steps = pd.DataFrame({name: np.arange(6.0) + 0.1 * j for j, name in enumerate("ABCDEFGH")})
    sentence = compare(steps, better="lower").in_words()  # CD = 4.29
    assert sentence == (
        "Not told apart (Nemenyi, 5 %): A to E (5); B to F (5); C to G (5); D to H (5)."
    )
    two = compare(N27[["A", "C"]], better="lower")
    assert (two.post_hoc, two.in_words()) == ("Wilcoxon", "All are told apart (Wilcoxon, 5 %).")
    few = compare(N27.head(3), better="lower")
    assert few.post_hoc == ""
    assert few.in_words().startswith("No test tells methods apart: too few for a test: 3 of at le")


def test_wilcoxon_is_scipys_where_nothing_ties(rng):
    for n in (8, 30):
        one, other = rng.normal(size=(2, n))
        expected = scipy_stats.wilcoxon(one, other, method="exact").pvalue
        table = pd.DataFrame({"one": one, "other": other})
        assert friedman(table).p_value == pytest.approx(expected)


def test_friedman_is_scipys_where_nothing_ties(rng):
    values = rng.normal(size=(9, 4))
    expected = scipy_stats.friedmanchisquare(*values.T)
    assert friedman(values).statistic == pytest.approx(expected.statistic)
    assert friedman(values).p_value == pytest.approx(expected.pvalue)


def test_rounding_breaks_no_tie():
    # 0.1 + 0.2 is not 0.3 in binary; as errors on a data set they are the same.
    table = pd.DataFrame({"A": [0.1 + 0.2] * 6, "B": [0.3] * 6, "C": [0.3001] * 6})
    for factor in (1.0, 1e-9, 1e9):
        assert average_ranks(factor * table, better="lower").average.tolist() == [1.5, 1.5, 3.0]
    assert "no difference" in friedman(table[["A", "B"]]).note
    assert friedman(table[["A", "C"]]).p_value == pytest.approx(2 / 64)


def test_the_nemenyi_constants_are_those_of_the_table():
    # Demsar 2006, table 5(a): q at 0.05 and 0.10 for 2, 5, 7 and 10 methods.
    for k, at_5, at_10 in [
        (2, 1.960, 1.645),
        (5, 2.728, 2.459),
        (7, 2.949, 2.693),
        (10, 3.164, 2.920),
    ]:
        unit = math.sqrt(k * (k + 1) / 6)
        assert nemenyi_cd(k, 1) / unit == pytest.approx(at_5, abs=1.1e-3)
        assert nemenyi_cd(k, 1, alpha=0.10) / unit == pytest.approx(at_10, abs=1.1e-3)
    assert nemenyi_cd(7, 40) == pytest.approx(nemenyi_cd(7, 10) / 2)


def test_groups_are_the_largest_and_may_overlap():
    average = {"D": 4.6, "A": 1.0, "C": 2.6, "B": 1.8}
    assert rank_groups(average, 0.5) == ()
    assert rank_groups(average, 1.0) == (("A", "B"), ("B", "C"))
    assert rank_groups(average, 1.6) == (("A", "B", "C"),)  # a difference of CD itself
    assert rank_groups(average, 9.0) == (("A", "B", "C", "D"),)
    assert rank_groups(pd.Series({"A": 1.5, "B": 1.5}), 0.0) == (("A", "B"),)
    with pytest.raises(ValueError, match="cd=nan"):
        rank_groups(average, math.nan)


def test_holm_by_hand():
    # Ascending .005 .01 .03 .04, times 4 3 2 1: .02 .03 .06 .04; the last may not fall below.
    np.testing.assert_allclose(holm([0.01, 0.04, 0.03, 0.005]), [0.03, 0.06, 0.06, 0.02])
    assert holm([0.6, 0.9]).tolist() == [1.0, 1.0]
    assert holm([]).size == 0
    for bad, at in ([0.1, math.nan], 1), ([-0.1], 0), ([0.5, 0.5, 1.1], 2):
        with pytest.raises(ValueError, match=rf"p_values\[{at}\]"):
            holm(bad)
    with pytest.raises(ValueError, match="one dimension"):
        holm([[0.1]])


def test_one_against_the_others():
    found = wilcoxon_holm(N28, "A")
    assert list(found.index) == ["B", "C"]
    np.testing.assert_allclose(found.p_value, [1.0, 2 / 64])
    np.testing.assert_allclose(found.p_holm, [1.0, 4 / 64])
    with pytest.raises(ValueError, match="'X' is no column of the table, which has A, B, C"):
        wilcoxon_holm(N28, "X")
    with pytest.raises(ValueError, match="at least 5 cases; there are 3"):
        wilcoxon_holm(N28.head(3), "A")


@pytest.mark.parametrize(
    ("table", "complaint"),
    [
        (N28[["A"]], "two methods or more; the table has 1"),
        (N28.set_axis(["A", "A", "C"], axis=1), "more than one column A"),
        (N28.head(0), "No case has a value for every method: the table has no rows"),
        (N28.assign(B="much"), "Column 'B' holds values that are no numbers"),
    ],
)
def test_tables_that_cannot_be_compared_are_refused(table, complaint):
    for function in (friedman, lambda t: average_ranks(t, better="lower")):
        with pytest.raises(ValueError, match=complaint):
            function(table)


def test_wrong_arguments_are_named():
    with pytest.raises(ValueError, match="missing='skip' must be 'raise' or 'drop'"):
        friedman(N28, missing="skip")
    for alpha in (0.0, 1.0, 5.0):
        with pytest.raises(ValueError, match="alpha="):
            compare(N28, better="higher", alpha=alpha)
    with pytest.raises(ValueError, match="n_cases=0"):
        nemenyi_cd(3, 0)
    with pytest.raises(ValueError, match="n_methods=1"):
        nemenyi_cd(1, 6)


def test_the_table_is_left_as_it_is_and_may_have_two_index_levels():
    table = N28.set_axis(pd.MultiIndex.from_product([["a", "b"], [0, 10, 20]]))
    before = table.copy()
    table.loc[("b", 10), "C"] = np.nan
    before.loc[("b", 10), "C"] = np.nan
    assert compare(table, better="higher", missing="drop").test.dropped == ("b, 10",)
    pd.testing.assert_frame_equal(table, before)
