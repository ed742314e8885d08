"""Whether `gap_` is a bound: tests/certificates.py tries many more."""

import pytest

import certificates


@pytest.mark.parametrize("first", range(0, 240, 24))
def test_no_gap_is_told_too_low(first: int) -> None:
    checked = [certificates.check(seed) for seed in range(first, first + 24)]
    assert not [fit.story for fit in checked if fit.too_low]
    # Multipliers and interior points certify; CSVOR with p = 2 has no bound.
    assert sum(fit.is_bound for fit in checked) >= 16
