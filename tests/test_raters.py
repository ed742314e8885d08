"""`audit_raters`: several labels an item, and who of the raters is strict or careless."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from scipy.special import expit
from scipy.stats import binomtest, norm

from csvor import RatersAudit, audit_raters
from csvor._mixture.rater_data import Ratings
from csvor._mixture.rater_model import fit_raters
from csvor._mixture.rater_problem import RaterProblem
from csvor._mixture.rater_tables import label_tables
from csvor.audit._rating_data import read_ratings
from csvor.metrics import weighted_kappa
from csvor.report import write_raters_report

NAMES = ["Ann", "Bo", "Cy", "Di", "Eve", "Flo"]


def small_ratings(n_classes: int, seed: int = 0) -> Ratings:
    rng = np.random.default_rng(seed)
    n_raters, counts = 4, rng.integers(1, 4, 30)
    raters = np.concatenate([rng.permutation(n_raters)[:count] for count in counts])
    known = np.full(counts.size, -1)
    known[3] = 1
    codes = rng.integers(0, n_classes, raters.size)
    return Ratings(np.append(0, np.cumsum(counts)), codes, raters, known, n_raters, n_classes)


def problem_at(
    n_classes: int, *, features: bool, per_class: int = 1
) -> tuple[RaterProblem, np.ndarray]:
    rng = np.random.default_rng(1)
    data = small_ratings(n_classes)
    margins = None
    if features:
        margins = rng.normal(size=(data.n_items, 1)) - np.arange(n_classes - 1.0)
        margins += 0.5 * rng.normal(size=margins.shape)  # some rise where they should fall
    problem = RaterProblem(data, margins, per_class)
    problem.population.shift = 0.3
    start = problem.start()
    return problem, start + 0.3 * rng.normal(size=start.size)


@pytest.mark.parametrize("per_class", [1, 3])
@pytest.mark.parametrize("features", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_gradient_is_that_of_the_loss(n_classes: int, features: bool, per_class: int) -> None:
    problem, theta = problem_at(n_classes, features=features, per_class=per_class)
    _, gradient = problem.loss(theta)
    steps = 1e-5 * np.eye(theta.size)
    numeric = [(problem.loss(theta + h)[0] - problem.loss(theta - h)[0]) / 2e-5 for h in steps]
    assert np.allclose(gradient, numeric, atol=1e-6)


@pytest.mark.parametrize("features", [False, True])
def test_curvature_is_that_of_the_gradient(features: bool) -> None:
    problem, theta = problem_at(4, features=features, per_class=2)
    curvature = problem.curvature(theta)
    for r in range(problem.ratings.n_raters):
        n = problem.n_of_rater
        for a in range(n):
            at = problem.n_common + n * r
            step = 1e-5 * np.eye(theta.size)[at + a]
            row = (problem.loss(theta + step)[1] - problem.loss(theta - step)[1]) / 2e-5
            row[at + a] -= problem.population.spreads(n)[a] ** -2.0
            assert np.allclose(curvature[r, a], row[at : at + n], atol=1e-3)


@pytest.mark.parametrize("features", [False, True])
def test_likelihood_is_the_sum_over_all_true_classes(features: bool) -> None:
    problem, theta = problem_at(3, features=features, per_class=2)
    tables = label_tables(problem.scale_of(theta), problem.raters_of(theta))
    assert np.allclose(tables.sum(axis=1), 1.0)
    problem.loss(theta)
    data, prior = problem.ratings, problem.nodes.masses(theta[: problem.n_common])
    for j in range(data.n_items):
        masses, known = np.zeros(6), data.known[j]
        for t in range(6) if known < 0 else range(2 * known, 2 * known + 2):
            masses[t] = max(prior[j if features else 0, t], 1e-12)
            for i in range(data.starts[j], data.starts[j + 1]):
                masses[t] *= tables[data.raters[i], data.codes[i], t]
        assert np.allclose(problem.posterior[j], masses / masses.sum())
    telling = (np.diff(data.starts) > 1) | (data.known >= 0) | features
    assert np.isclose(problem.counts.sum(), np.diff(data.starts)[telling].sum())


def test_value_by_brute_force() -> None:
    """All classes of all items at once: what the sum over items factorises.

    Not of the last item, which one rater alone rated, twice.
    """
    data = Ratings(np.array([0, 2, 4, 6]), np.array([0, 1, 1, 2, 0, 0]),
                   np.array([0, 1, 0, 1, 1, 1]), np.full(3, -1), 2, 3)  # fmt: skip
    problem = RaterProblem(data, None, 1)
    theta = problem.start() + 0.1 * np.random.default_rng(0).normal(size=problem.start().size)
    tables = label_tables(problem.scale_of(theta), problem.raters_of(theta))
    prior = problem.nodes.masses(theta[: problem.n_common])[0]
    total = sum(
        prior[t] * prior[u] * tables[0, 0, t] * tables[1, 1, t] * tables[0, 1, u] * tables[1, 2, u]
        for t, u in product(range(3), repeat=2)
    )
    n = problem.n_of_rater
    z = (problem.raters_of(theta) - problem.population.means(n)) / problem.population.spreads(n)
    weak = theta[: problem.n_common] / np.where(np.arange(problem.n_common) < problem.n_scale, 2, 5)
    assert np.isclose(problem.loss(theta)[0], -np.log(total) + 0.5 * ((z**2).sum() + weak @ weak))


def simulated(seed: int = 0, n: int = 300) -> tuple[np.ndarray, np.ndarray]:
    """True classes 1 to 5, and what six raters said: Di is high, Eve low, Flo careless."""
    rng = np.random.default_rng(seed)
    truth = rng.integers(1, 6, n)
    value = truth[:, None] + np.array([0, 0, 0, 0.8, -0.6, 0]) + 0.4 * rng.normal(size=(n, 6))
    ratings = np.clip(np.round(value), 1, 5)
    careless = rng.random(n) < 0.5
    ratings[careless, 5] = rng.integers(1, 6, careless.sum())
    ratings[rng.random((n, 6)) < 0.3] = np.nan
    return truth, ratings


@pytest.fixture(scope="module")
def truth_and_audit() -> tuple[np.ndarray, RatersAudit]:
    truth, ratings = simulated()
    return truth, audit_raters(None, pd.DataFrame(ratings, columns=NAMES))


def test_raters_are_what_they_are(truth_and_audit: tuple[np.ndarray, RatersAudit]) -> None:
    truth, audit = truth_and_audit
    table = audit.raters.to_frame()
    assert list(table.index) == NAMES
    assert (audit.label == truth).mean() > 0.9
    assert table.shift_low["Di"] > 0.4 and table.shift_high["Eve"] < -0.2
    assert (table.shift_low[:3] < 0).all() and (table.shift_high[:3] > 0).all()
    assert table.careless_low["Flo"] > 0.3 and (table.careless_high[:5] < 0.15).all()
    assert "; Flo is careless in " in audit.raters.summary
    assert table.agreement[:3].min() > table.agreement[3:].max()
    assert "2 raters differ from the middle of the raters, most Di: 0.6 classes too high (0.5" in (
        audit.summary
    )
    label = audit.label[audit.rating_item]
    for r in range(6):
        his = audit.rating_rater == r
        assert np.isclose(table.kappa.iloc[r], weighted_kappa(label[his], audit.given[his]))
    assert "n_gold" not in table and audit.raters.gold_in_words(0) == ""
    assert ", then Eve (0.4 too low); Flo is careless" in audit.summary
    assert audit.notes == () and 0.3 < audit.alpha < 0.9 and audit.kappa is None


def test_those_who_differ_are_named(truth_and_audit: tuple[np.ndarray, RatersAudit]) -> None:
    shift = np.linspace(0.7, 1.3, 6)
    table = replace(
        truth_and_audit[1].raters, shift=shift, shift_interval=shift[:, None] + [-0.1, 0.1],
    )  # fmt: skip
    assert table.summary.startswith(
        "6 raters differ from the middle of the raters, most Flo: 1.3 classes too high "
        "(1.2 to 1.4), then Eve (1.2 too high), Di (1.1 too high), Cy (0.9 too high), "
        "Bo (0.8 too high) and 1 more"
    )


def test_tables_say_the_same_of_items_and_ratings(
    truth_and_audit: tuple[np.ndarray, RatersAudit],
) -> None:
    _, audit = truth_and_audit
    items, ratings = audit.to_frame(), audit.ratings_to_frame()
    assert np.allclose(audit.class_probabilities.sum(axis=1), 1.0)
    assert (items.loc[audit.items[audit.ask_next[:1]], "ask"] == 1).all()
    assert items.sort_values("ask").information.is_monotonic_decreasing
    assert items.n_ratings.sum() == len(ratings) == audit.raters.n.sum()
    assert ratings.probability.is_monotonic_decreasing
    wrong = ratings.flagged & (ratings.given == ratings.label)
    assert not wrong.any() and ratings.flagged.sum() == audit.flagged.sum()
    assert np.allclose(audit.label_probabilities.sum(axis=1), 1.0)
    # One more rating tells less where the class is certain.
    sure = items.probability > 0.999
    assert items.information[sure].max() < 0.05 < items.information.max()


def test_long_and_wide_tables_say_the_same() -> None:
    _, ratings = simulated(n=60)
    wide = audit_raters(None, ratings, raters=NAMES)
    item, rater = np.nonzero(~np.isnan(ratings))
    order = np.random.default_rng(0).permutation(item.size)
    long = audit_raters(
        None, ratings[item, rater][order].astype(int), item[order], np.array(NAMES)[rater][order]
    )
    assert np.array_equal(wide.class_probabilities, long.class_probabilities)
    assert np.array_equal(wide.raters.shift, long.raters.shift)
    assert np.array_equal(wide.rating_probability, long.rating_probability)
    assert np.array_equal(order[long.rating_row], np.arange(item.size))
    assert np.array_equal(wide.rating_row, np.flatnonzero(~np.isnan(ratings)))


def test_items_of_a_frame_are_called_by_its_index() -> None:
    _, ratings = simulated(n=60)
    frame = pd.DataFrame(ratings, columns=NAMES, index=[f"E{i:03}" for i in range(60)])
    audit = audit_raters(None, frame)
    assert audit.items.tolist() == frame.index.tolist()
    twice = frame.set_axis(["E"] * 60)
    assert audit_raters(None, twice).items.tolist() == list(range(60))


def test_names_of_raters_do_not_matter() -> None:
    _, ratings = simulated(n=60)
    one = audit_raters(None, ratings)
    other = audit_raters(None, ratings[:, ::-1])
    assert np.allclose(one.raters.shift, other.raters.shift[::-1], atol=1e-3)
    assert np.allclose(one.class_probabilities, other.class_probabilities, atol=1e-3)


def test_a_named_reference_and_gold() -> None:
    truth, ratings = simulated()
    by_di = audit_raters(None, ratings, raters=NAMES, reference="Di")
    assert by_di.raters.shift[3] == 0.0 and (by_di.raters.shift_interval[3] == 0.0).all()
    assert (by_di.raters.shift_interval[:3, 1] < -0.4).all()
    assert (by_di.label >= truth).mean() > 0.95 and (by_di.label > truth).mean() > 0.5
    # All raters are half a class too high, and gold says so.
    gold = np.where(np.arange(truth.size) < 100, truth - 1.0, np.nan)
    high = audit_raters(None, ratings, raters=NAMES, gold=gold, classes=range(6))
    assert (high.raters.shift_interval[:3, 0] > 0.5).all()
    assert (high.label[:100] == truth[:100] - 1).all()
    assert (high.label[100:] == truth[100:] - 1).mean() > 0.8
    assert high.has_gold[:100].all() and not high.has_gold[100:].any()
    assert high.to_frame()["ask"][:100].isna().all() and (high.ask_next >= 100).all()
    given = ratings[:100]
    for r, name in enumerate(NAMES):
        there = ~np.isnan(given[:, r])
        pair = (gold[:100][there].astype(int), given[there, r].astype(int))
        assert high.raters.n_gold[r] == there.sum()
        assert np.isclose(high.raters.gold_agreement[r], np.mean(pair[0] == pair[1]))
        assert np.isclose(high.raters.kappa[r], weighted_kappa(*pair, classes=range(6)))
        interval = binomtest(int(np.sum(pair[0] == pair[1])), int(there.sum())).proportion_ci(
            method="wilson"
        )
        assert np.allclose(high.raters.gold_interval[r], interval, atol=1e-4), name
    with pytest.raises(ValueError, match="not by both"):
        audit_raters(None, ratings, raters=NAMES, gold=truth, reference="Di")
    with pytest.raises(ValueError, match="'Gus' gave no rating"):
        audit_raters(None, ratings, raters=NAMES, reference="Gus")


def test_features_tell_of_items() -> None:
    from csvor import CSVOR

    truth, ratings = simulated()
    ratings[np.random.default_rng(1).random(ratings.shape) < 0.5] = np.nan
    rated = ~np.isnan(ratings).all(axis=1)
    truth, ratings = truth[rated], ratings[rated]
    X = np.column_stack([truth, np.ones(truth.size)])
    X = X + 0.3 * np.random.default_rng(2).normal(size=X.shape)
    seen: list[float] = []
    audit = audit_raters(
        X, ratings, estimator=CSVOR(p=1.0), progress=lambda done, total: seen.append(done / total)
    )
    without = audit_raters(None, ratings)
    assert seen == sorted(seen) and seen[-1] == 1.0
    assert audit.probability.mean() > without.probability.mean()
    assert audit.information.mean() < without.information.mean()
    assert (audit.label == truth).mean() > (without.label == truth).mean() + 0.05


@pytest.mark.parametrize("scale", [0.1, 1.0])
def test_features_that_say_nothing_do_no_harm(scale: float) -> None:
    """Of 9 classes some are rare; the fit to margins ended 1500 below the one without."""
    rng = np.random.default_rng(0)
    truth = rng.choice(9, 400, p=np.array([1, 8, 1, 10, 15, 1, 20, 8, 1]) / 65)
    item, rater = np.repeat(np.arange(400), 4), rng.permutation(np.arange(1600) % 20)
    y = np.clip(np.round(truth[item] + 0.7 * rng.normal(size=1600)), 0, 8).astype(int)
    data = read_ratings(None, y, item, rater, np.arange(9), None).ratings
    without = fit_raters(data)
    margins = scale * rng.normal(size=(400, 1)) - np.linspace(-3, 3, 8)
    assert fit_raters(data, margins, start=without).loss < without.loss + 20


def qualities(seed: int, n_raters: int, n: int = 600) -> tuple[np.ndarray, np.ndarray]:
    """Classes of a continuous quality, and labels of raters who cut it; the first is strict."""
    rng = np.random.default_rng(seed)
    quality, cuts = rng.normal(size=n), norm.ppf(np.arange(1, 5) / 5)
    seen = quality[:, None] + 0.35 * rng.normal(size=(n, n_raters))
    seen[:, 0] -= 0.8
    return np.digitize(quality, cuts), np.digitize(seen, cuts)


@pytest.mark.parametrize(("n_raters", "features"), [(3, False), (5, False), (3, True)])
def test_items_near_a_cut_mislead_all_raters(n_raters: int, features: bool) -> None:
    """Where they cut one quality, .11 to .18 more labels were promised to be right than were."""
    gaps = []
    for seed in range(3):
        truth, ratings = qualities(seed, n_raters)
        X = None
        if features:
            noise = np.random.default_rng(seed + 9).normal(size=(truth.size, 2))
            X = np.random.default_rng(seed).normal(size=(truth.size, 1)) + [0.7, 9.0] * noise
        audit = audit_raters(X, ratings, cv=3)
        gaps.append(audit.probability.mean() - (audit.label == truth).mean())
    assert abs(np.mean(gaps)) < 0.03


def test_slips_of_a_class_are_told_from_cuts_of_a_quality() -> None:
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 600)
    slips = np.where(rng.random((600, 4)) < 0.15, rng.choice([-1, 1], (600, 4)), 0)
    slips = read_ratings(None, np.clip(truth[:, None] + slips, 0, 3), None, None, None, None)
    cut = read_ratings(None, qualities(0, 5)[1], None, None, None, None)
    assert fit_raters(slips.ratings).problem.per_class == 1
    model = fit_raters(cut.ratings)
    assert model.problem.per_class > 1
    for rater in (None, 0):
        parts = model.classes_by(rater)
        assert parts.min() >= 0.0 and np.allclose(parts.sum(axis=1), 1.0)
    # A class holds as many items as the rater gives labels.
    given = np.bincount(cut.ratings.codes[cut.ratings.raters == 0], minlength=5) / 600
    assert np.allclose(model.masses @ model.classes_by(0), given, atol=0.03)


@pytest.mark.parametrize("draw", [0, 1])
@pytest.mark.parametrize("cut", [True, False])
def test_a_crowd_of_few_ratings_each_tells_it_too(draw: int, cut: bool) -> None:
    """At what is likeliest of each rater, one node a class won in all of eight draws of cuts."""
    rng = np.random.default_rng(draw)
    n, n_raters = 600, 200
    shifts, quality, cuts = rng.normal(0, 0.3, n_raters), rng.normal(size=n), [-1, -1 / 3, 1 / 3, 1]
    raters = np.concatenate([rng.choice(n_raters, 3, replace=False) for _ in range(n)])
    item = np.repeat(np.arange(n), 3)
    seen = quality[item] + shifts[raters] + 0.3 * rng.normal(size=item.size)
    slips = (rng.random(item.size) < 0.2) * rng.choice([-1, 1], item.size)
    codes = np.digitize(seen, cuts)
    if not cut:
        codes = np.clip(np.digitize(quality, cuts)[item] + slips, 0, 4)
    unknown = np.full(n, -1)
    ratings = Ratings(np.arange(n + 1) * 3, codes, raters, unknown, n_raters, 5)
    assert (fit_raters(ratings).problem.per_class > 1) == cut


# Traps: each is refused, or said.


def rows_of(n_items: int, raters: list[str], seed: int = 0) -> tuple[Any, Any, Any]:
    """Ratings, items and raters where each item has two of these raters."""
    rng = np.random.default_rng(seed)
    item = np.repeat(np.arange(n_items), 2)
    who = np.concatenate([rng.permutation(raters)[:2] for _ in range(n_items)])
    truth = rng.integers(1, 4, n_items)[item]
    return np.clip(truth + (rng.random(item.size) < 0.1), 1, 3), item, who


def test_raters_who_saw_different_items_are_refused() -> None:
    y, item, who = rows_of(40, ["a", "b"])
    z, other, whose = rows_of(40, ["c", "d"], seed=1)
    both = (np.append(y, z), np.append(item, other + 40), np.append(who, whose))
    with pytest.raises(ValueError, match=r"2 sets that share no item.*rate some items in common"):
        audit_raters(None, *both)
    # A few items with a true label in each set tie them.
    gold = np.full(both[0].size, np.nan)
    gold[:20], gold[80:100] = both[0][:20], both[0][80:100]
    gold = pd.Series(gold).groupby(both[1]).transform("first").to_numpy()
    assert not any("compared" in note for note in audit_raters(None, *both, gold=gold).notes)


def test_a_few_raters_apart_are_said() -> None:
    y, item, who = rows_of(60, ["a", "b", "c"])
    z, other, whose = rows_of(3, ["x", "y"])
    audit = audit_raters(None, np.append(y, z), np.append(item, other + 60), np.append(who, whose))
    assert any("x and y cannot be compared with the others" in note for note in audit.notes)


def test_what_one_rater_alone_rated_tells_nothing_of_him() -> None:
    """Gus rates items that are higher than the others: he is not too high for that."""
    truth, ratings = simulated()
    alone = np.full((60, 7), np.nan)
    alone[:, 6] = np.random.default_rng(2).choice([4, 5], 60)
    seen = np.column_stack([ratings, np.where(np.arange(truth.size) < 8, truth, np.nan)])
    audit = audit_raters(None, np.vstack([seen, alone]), raters=[*NAMES, "Gus"])
    without = audit_raters(None, seen, raters=[*NAMES, "Gus"])
    assert np.array_equal(audit.label[-60:], alone[:, 6])
    assert np.allclose(audit.raters.careless, without.raters.careless, atol=0.01)
    low, high = audit.raters.shift_interval[6]
    assert low < 0 < high
    # As many of them as there may be, nobody can be compared.
    table = np.full((40, 2), np.nan)
    table[:38, 0], table[38:, 1] = 1 + np.arange(38) % 3, [1, 2]
    with pytest.raises(ValueError, match="0 items of 40 have ratings of more than one rater"):
        audit_raters(None, table)


def test_labels_of_who_does_not_look_need_not_be_alike() -> None:
    """A third of the raters gives the lowest label to every second item, without looking."""
    rng = np.random.default_rng(0)
    truth = rng.integers(0, 4, 300)
    item, rater = np.repeat(np.arange(300), 6), rng.permutation(np.arange(1800) % 60)
    y = np.clip(np.round(truth[item] + 0.3 * rng.normal(size=1800)), 0, 3).astype(int)
    y[(rater < 20) & (rng.random(1800) < 0.5)] = 0
    model = fit_raters(read_ratings(None, y, item, rater, None, None).ratings)
    assert model.problem.careless[0] > 0.9
    shares = expit(model.raters[:, 2])
    assert abs(shares[:20].mean() - 0.5) < 0.1 > shares[20:].mean()


def test_labels_at_random_are_no_shift_where_most_items_are_low() -> None:
    rng = np.random.default_rng(1)
    truth = rng.choice(4, 400, p=[0.7, 0.1, 0.1, 0.1])
    ratings = np.clip(np.round(truth[:, None] + 0.3 * rng.normal(size=(400, 6))), 0, 3).astype(int)
    careless = (np.arange(6) > 3) & (rng.random((400, 6)) < 0.5)
    ratings[careless] = rng.integers(0, 4, careless.sum())
    table = audit_raters(None, ratings).raters
    assert np.allclose(table.careless[4:], 0.5, atol=0.1)
    assert table.careless[:4].max() < 0.05 and not table.apart.size


def test_a_rater_of_few_ratings_is_unsure() -> None:
    """His table is the mean over what he may be."""
    _, ratings = simulated()
    ratings[10:, 0] = np.nan
    data = read_ratings(None, ratings, None, None, None, None).ratings
    model = fit_raters(data)
    likeliest = label_tables(model.scale, model.raters)
    moved = np.abs(model.tables - likeliest).sum(axis=(1, 2))
    assert np.allclose(model.tables.sum(axis=1), 1.0)
    assert moved[0] > 2 * moved[1:].max()
    assert np.diagonal(model.tables[0]).mean() < np.diagonal(likeliest[0]).mean()


def test_items_without_ratings_are_no_trouble() -> None:
    truth, ratings = simulated(n=60)
    ratings[[0, 30, 59]] = np.nan
    audit = audit_raters(None, ratings)
    assert audit.n_ratings[[0, 30, 59]].tolist() == [0, 0, 0]
    assert np.ptp(audit.probability[[0, 30, 59]]) < 1e-9
    assert (audit.label == truth)[1:30].mean() > 0.85


def test_a_scale_turned_round_and_a_single_class_are_said() -> None:
    _, ratings = simulated()
    ratings[:, 4] = 6 - ratings[:, 4]
    ratings[:, 5] = np.where(np.isnan(ratings[:, 5]), np.nan, 3)
    audit = audit_raters(None, ratings, raters=NAMES)
    turned, single = audit.notes
    assert turned.startswith("Eve: labels fall") and single.startswith("Flo: the same label on")
    assert "(3)" in single
    assert audit.raters.turned.tolist() == [4] and 4 not in audit.raters.apart
    assert "the scale of Eve is turned round" in audit.raters.summary


def test_raters_who_agree_by_chance_alone_are_said(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    ratings = rng.integers(0, 4, (100, 3))
    audit = audit_raters(None, ratings)
    (note,) = audit.notes
    assert note.startswith("Labels follow those of the other raters no better than chance could")
    assert not audit.conclusive
    assert not audit.flagged.any()
    assert audit.summary == (
        "nothing can be said of 300 ratings of 100 items by 3 raters: labels follow those of the "
        "others no better than chance could"
    )
    page = write_raters_report(audit, tmp_path / "page.html").read_text(encoding="utf-8")
    assert page.count("Nothing can be said of the labels: their order means nothing.") == 2
    ratings[:50] = ratings[:50, :1]  # on half of the items they agree
    audit = audit_raters(None, ratings)
    assert audit.conclusive
    assert audit.notes == ()


def test_of_many_raters_who_agree_by_chance_none_is_turned_round() -> None:
    rng = np.random.default_rng(0)
    item, rater = np.repeat(np.arange(1200), 5), rng.permutation(np.arange(6000) % 300)
    audit = audit_raters(None, rng.integers(0, 4, item.size), item, rater)
    assert not audit.conclusive and not audit.raters.turned.size


def test_an_item_that_a_rater_rated_twice_is_said() -> None:
    y, item, who = rows_of(30, ["a", "b", "c"])
    audit = audit_raters(None, *(np.append(column, column[:2]) for column in (y, item, who)))
    (note,) = audit.notes
    assert note.startswith("2 ratings more of an item by a rater who had rated it")


@pytest.mark.parametrize("direction", [1, -1])
def test_columns_that_are_sorted_are_no_raters(direction: int) -> None:
    _, ratings = simulated()
    ratings = np.sort(np.where(np.isnan(ratings), 3, ratings)[:, :3], axis=1)[:, ::direction]
    for table in (ratings, pd.DataFrame(ratings, columns=["rating1", "rating2", "rating3"])):
        with pytest.raises(ValueError, match="labels of each item by size"):
            audit_raters(None, table)


def test_two_raters_are_told_apart_but_not_who_is_right() -> None:
    _, ratings = simulated()
    audit = audit_raters(None, ratings[:, [0, 3]], raters=["Ann", "Di"])
    assert "not which of them is right" in audit.notes[0]
    assert np.isclose(audit.raters.shift[0], -audit.raters.shift[1], atol=0.05)
    assert audit.kappa is not None and audit.kappa > 0.5
    assert not audit_raters(None, ratings[:, [0, 3]], raters=["Ann", "Di"], reference="Ann").notes


def test_one_rater_is_refused_without_gold() -> None:
    with pytest.raises(ValueError, match="one rater, 'Ann'"):
        audit_raters(None, [1, 2, 3, 1], range(4), ["Ann"] * 4)
    with pytest.raises(ValueError, match="one rater, 7:"):
        audit_raters(None, [1, 2, 3, 1], range(4), [7] * 4)
    one = audit_raters(None, [1, 2, 3, 1], range(4), [7] * 4, gold=[2, None, None, None])
    assert one.raters.gold_interval[0, 0] == 0.0
    assert "labels follow true labels no better" in one.summary
    assert one.notes[0].startswith("Labels follow true labels no better than chance could")
    truth, ratings = simulated()
    gold = np.where(np.arange(truth.size) < 150, truth, np.nan)
    rows = np.flatnonzero(~np.isnan(ratings[:, 3]))
    table = audit_raters(None, ratings[rows, 3], rows, ["Di"] * rows.size, gold=gold[rows]).raters
    assert table.shift_interval[0, 0] > 0.3


def test_a_copy_of_a_rater_is_said() -> None:
    """A model that is asked twice says the same twice, and would outvote the others."""
    _, ratings = simulated()
    again = np.column_stack([ratings, np.where(np.arange(300) < 40, ratings[:, 1], np.nan)])
    (note,) = audit_raters(None, again, raters=[*NAMES, "Bo again"]).notes
    n = int((~np.isnan(again[:, 6])).sum())
    assert note.startswith(
        f"Bo, Bo again: the same label on all items that two of them rated ({n} times), where"
    )
    assert note.endswith("If these are copies, leave all but one of them out.")
    # One note on all five; they are none of the others.
    five = np.column_stack([ratings, *[ratings[:, 1]] * 4])
    (one,) = audit_raters(None, five, raters=[*NAMES, *"wxyz"]).notes
    assert one.startswith("Bo, w, x, y, z: the same label")
    agreed = [text.partition("others agree on ")[2][:4] for text in (note, one)]
    assert agreed == ["48 %", "53 %"]
    # Raters who agree on nearly all are none.
    truth = np.arange(200) % 3
    alike = np.column_stack([truth, truth, np.where(np.arange(200) == 7, 1, truth)])
    assert not any("copy" in note for note in audit_raters(None, alike).notes)


def test_features_belong_to_the_item() -> None:
    y, item, who = rows_of(20, ["a", "b"])
    X = np.column_stack([item, np.zeros(item.size)]).astype(float)
    X[5, 1] = 1.0
    for table, column in (
        (X, "column 1"), (pd.DataFrame(X, columns=["size", "hour"]), "column 'hour'"),
        (csr_array(X), "column 1"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=f"{column} of X differs between the rows of item 2"):
            audit_raters(table, y, item, who)


def test_names_and_shapes_are_checked() -> None:
    y, item, who = rows_of(20, ["a", "b"])
    with pytest.raises(ValueError, match="raters is missing"):
        audit_raters(None, y, item)
    with pytest.raises(ValueError, match="items must have a name for each of the 40"):
        audit_raters(None, y, item[:-1], who)
    with pytest.raises(ValueError, match="raters has no name in 1 of 40 rows"):
        audit_raters(None, y, item, np.where(np.arange(40) == 3, None, who))
    with pytest.raises(ValueError, match="for each of the 2 columns"):
        audit_raters(None, np.column_stack([y, y]), raters=["a", "a"])
    with pytest.raises(ValueError, match="gold has no label"):
        audit_raters(None, y, item, who, gold=np.full(40, np.nan))


def test_blanks_and_words() -> None:
    words = np.array(["low", "mid", "high"])
    y, item, who = rows_of(60, ["a", "b", "c"])
    labels = words[y - 1].astype(object)
    labels[::7] = None
    audit = audit_raters(None, labels, item, who, classes=words)
    assert audit.given.size == np.sum(labels != None)  # noqa: E711
    assert set(audit.label) <= set(words) and audit.items.size <= 60
    with pytest.raises(ValueError, match="order"):
        audit_raters(None, labels, item, who)


def test_thousands_of_raters() -> None:
    rng = np.random.default_rng(0)
    n_raters, n_items = 1500, 1000
    item = np.repeat(np.arange(n_items), 5)
    rater = rng.integers(0, n_raters, item.size)
    truth, shift = rng.integers(0, 3, n_items), rng.normal(0, 0.3, n_raters)
    y = np.clip(np.round(truth[item] + shift[rater] + 0.3 * rng.normal(size=item.size)), 0, 2)
    audit = audit_raters(None, y.astype(int), item, rater)
    assert (audit.label == truth).mean() > 0.95
    assert np.corrcoef(audit.raters.shift, shift[audit.raters.names])[0, 1] > 0.3
    assert np.isfinite(audit.raters.shift_interval).all()


def test_a_rater_of_few_ratings_stays_near_the_others() -> None:
    _, ratings = simulated()
    ratings[5:, 3] = np.nan
    audit = audit_raters(None, ratings)
    width = np.diff(audit.raters.shift_interval, axis=1).ravel()
    assert width[3] > 2 * width[0]
    assert audit.raters.n[3] <= 5


def test_raters_need_not_be_many() -> None:
    """The fit is the same on items in another order, to rounding."""
    data = small_ratings(3)
    order = np.argsort(np.diff(data.starts), kind="stable")
    parts = [np.arange(data.starts[j], data.starts[j + 1]) for j in order]
    rows = np.concatenate(parts)
    other = Ratings(
        np.append(0, np.cumsum([part.size for part in parts])), data.codes[rows],
        data.raters[rows], data.known[order], 4, 3,
    )  # fmt: skip
    one, two = fit_raters(data), fit_raters(other)
    assert np.isclose(one.loss, two.loss, atol=1e-4)
    assert np.allclose(one.posterior[order], two.posterior, atol=1e-2)


def test_two_raters_without_a_common_item_get_one_note() -> None:
    truth = np.random.default_rng(0).integers(1, 4, 60)
    X = np.column_stack([truth, np.ones(60)]) + 0.1 * np.random.default_rng(1).normal(size=(60, 2))
    who = np.where(np.arange(60) < 30, "a", "b")
    (note,) = audit_raters(X, truth, np.arange(60), who, cv=2).notes
    assert "severity and items are told apart by the features alone" in note
    with pytest.raises(ValueError, match="reference must be the name of one rater"):
        audit_raters(None, np.column_stack([truth, truth]), reference=["a", "b"])
