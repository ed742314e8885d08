"""Comparing methods over data sets: ranks, tests and critical differences.

Tables go in (one row per case, one column per method), plain results come out.
"""

from csvor.stats._holm import holm, wilcoxon_holm
from csvor.stats._nemenyi import Comparison, compare, nemenyi_cd, rank_groups
from csvor.stats._ranks import AverageRanks, average_ranks
from csvor.stats._tests import DifferenceTest, friedman

__all__ = [
    "AverageRanks",
    "Comparison",
    "DifferenceTest",
    "average_ranks",
    "compare",
    "friedman",
    "holm",
    "nemenyi_cd",
    "rank_groups",
    "wilcoxon_holm",
]
