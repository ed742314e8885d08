"""The order of cells, and a time left that is true within a factor of two after a tenth of them."""

import heapq
import time
from collections import Counter
from typing import Any
from zlib import crc32

import numba
import numpy as np
import pytest

from csvor._utils.compile import timing_compilation
from csvor.study._cell import Cell, work_on
from csvor.study._methods import MethodRun
from csvor.study._progress import Tally, in_order
from csvor.study._splits import StudyData
from study_sets import Nearest


def cells_of(
    n_sets: int, n_methods: int, n_each: int, costs: Any = None, n_few: int = 0
) -> list[Cell]:
    """Cells in the order of a spec; the last method has `n_few` of a set, if any."""
    costs = np.ones((n_sets, n_methods)) if costs is None else costs
    return [
        Cell(f"set{i}", 10 * (n % 3), n, f"M{j}", f"{crc32(bytes((i, j, n))):08x}", costs[i, j])
        for i in range(n_sets)
        for n in range(n_each)
        for j in range(n_methods)
        if not (n_few and j == n_methods - 1 and n >= n_few)
    ]


def estimate_after(
    share: float, cells: list[Cell], seconds: dict[Cell, float], jobs: int
) -> tuple[float, float]:
    """The estimated time left when a share of the cells has ended, and the true one."""
    free, ends = [0.0] * jobs, []
    for cell in in_order(cells):
        end = heapq.heappop(free) + seconds[cell]
        heapq.heappush(free, end)
        ends.append((end, cell))
    ends.sort(key=lambda pair: pair[0])
    n = int(np.ceil(share * len(cells)))
    tally = Tally(cells)
    for _, cell in ends[:n]:
        tally.add(cell, {"status": "ok", "seconds": seconds[cell]})
    estimate = tally.seconds_left(jobs)
    assert estimate is not None
    return estimate, ends[-1][0] - ends[n - 1][0]


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize(
    ("n_sets", "n_methods", "n_each", "n_few"),
    [(10, 8, 18, 0), (10, 8, 3, 0), (4, 5, 30, 2), (1, 3, 40, 0), (12, 1, 10, 0)],
)
def test_n51_time_left_is_true_within_a_factor_of_two_after_a_tenth(
    n_sets: int, n_methods: int, n_each: int, n_few: int, jobs: int
) -> None:
    """Methods differ by 100, sets by 10, pairs by chance, and costs are guessed badly."""
    for seed in range(5):
        rng = np.random.default_rng(seed)
        of_set, of_method = 10 ** rng.uniform(0, 1, n_sets), 10 ** rng.uniform(-2, 0, n_methods)
        true = np.outer(of_set, of_method) * rng.lognormal(0, 0.4, (n_sets, n_methods))
        guess = of_set * 10 ** rng.normal(0, 0.3, n_sets)
        costs = np.outer(guess, of_method * 10 ** rng.uniform(-1, 1, n_methods))
        cells = cells_of(n_sets, n_methods, n_each, costs, n_few)
        seconds = {
            cell: true[int(cell.dataset[3:]), int(cell.method[1:])] * rng.lognormal(0, 0.4)
            for cell in cells
        }
        estimate, truth = estimate_after(0.1, cells, seconds, jobs)
        assert 0.5 < estimate / truth < 2, seed


def test_a_tenth_comes_from_all_over_the_study_and_the_rest_long_ones_first() -> None:
    costs = np.outer([1.0, 2.0, 4.0], [0.1, 1.0, 10.0, 100.0])
    cells = cells_of(3, 4, 10, costs)
    order = in_order(cells)
    assert sorted(map(str, order)) == sorted(map(str, cells))
    assert in_order(cells[::-1]) != cells, "whatever order they are given in"
    first = order[:4]
    assert {cell.method for cell in first} == {"M0", "M1", "M2", "M3"}
    assert {cell.dataset for cell in first} == {"set0", "set1", "set2"}
    assert max(Counter((c.dataset, c.method) for c in order[:12]).values()) == 1
    rest = [cell.cost for cell in order[12:]]
    assert rest == sorted(rest, reverse=True)
    # Splits and levels of equal cost come mixed, not the lowest first.
    longest = [cell.split for cell in order[12:] if cell.cost == 400]
    assert longest != sorted(longest)


def test_time_left_follows_the_seconds_of_cells_of_the_same_method() -> None:
    cells = [Cell("a", 0, i, "M", f"m{i}", 2.0) for i in range(4)]
    cells += [Cell("a", 0, i, "N", f"n{i}", 1.0) for i in range(4)]
    tally = Tally(cells)
    assert tally.seconds_left(1) is None
    tally.add(cells[0], {"status": "ok", "seconds": 10.0})
    # 3 more of 10 s, and 4 of N, expected to take half as long.
    assert tally.seconds_left(1) == pytest.approx(3 * 10 + 4 * 5)
    tally.add(cells[4], {"status": "failed", "seconds": 1.0})
    assert tally.seconds_left(2) == pytest.approx((3 * 10 + 3 * 1) / 2)
    assert tally.progress(2).failed == 1
    # However many jobs: one cell runs on one of them.
    assert tally.seconds_left(100) == pytest.approx(10)


def test_a_method_without_a_cell_takes_its_expected_seconds_at_the_ratio_of_all() -> None:
    cells = [Cell("a", 0, 0, "M", "m0", 4.0), Cell("a", 0, 1, "M", "m1", 8.0)]
    cells += [Cell("b", 0, 0, "N", "n0", 3.0)]
    tally = Tally(cells)
    tally.add(cells[0], {"status": "ok", "seconds": 2.0})
    assert tally.seconds_left(1) == pytest.approx(8 / 2 + 3 / 2)
    for cell in cells[1:]:
        tally.add(cell, {"status": "ok", "seconds": 1.0})
    assert tally.seconds_left(1) == 0.0
    assert tally.table().values.tolist() == [["a", "M", 2, 0, 2], ["b", "N", 1, 0, 1]]


class Compiling(Nearest):
    """Compiles a loop in each fit."""

    seconds = 0.0

    def fit(self, X: Any, y: Any) -> "Compiling":
        loop = numba.njit(lambda x: x + 1.0)
        with timing_compilation() as seconds:
            loop(X[0, 0])
        Compiling.seconds += seconds()
        super().fit(X, y)
        return self


def test_the_seconds_of_a_cell_are_those_of_its_work_not_of_compilation() -> None:
    y = np.repeat([1, 2], 20)
    data = StudyData("a", y[:, None] * 1.0, y, 2, "labels", {0: (np.arange(40), np.arange(40))})
    start = time.perf_counter()
    found = work_on(
        Cell("a", 0, 0, "C", "key", 1.0), data, MethodRun("C", Compiling()), n_folds=2, seed=0
    )
    whole = time.perf_counter() - start
    assert found["status"] == "ok"
    assert Compiling.seconds > 0
    assert 0 < found["seconds"] <= whole - Compiling.seconds
    with timing_compilation() as seconds:
        pass
    assert seconds() == 0.0
