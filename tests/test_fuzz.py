"""Whatever csvor is given, it is fitted, or refused with a message of ours.

`fuzz.py` draws the inputs; 100 000 of them were tried once (``python tests/fuzz.py 0 100000``).
With those of files, 2 000 are tried in each run.
"""

import numpy as np
import pandas as pd
import pytest

import fuzz
from csvor import CSVOR, PINSVOR, SVORIM, OrdinalRegression

GROUPS, SIZE = 15, 100


@pytest.mark.parametrize("group", range(GROUPS))
def test_every_outcome_is_a_valid_fit_or_a_clear_refusal(group):
    outcomes = [fuzz.outcome(fuzz.problem(SIZE * group + i)) for i in range(SIZE)]
    assert outcomes.count("fitted") > SIZE // 5, "most inputs are refused: they try little"


@pytest.mark.parametrize("group", range(4))
def test_every_audit_of_scores_is_valid_or_refused(group):
    outcomes = [fuzz.audited(SIZE * group + i) for i in range(SIZE)]
    assert outcomes.count("fitted") > SIZE // 8


SMALL = np.random.default_rng(0).normal(size=(30, 3))
LABELS = np.digitize(SMALL[:, 0], [-0.5, 0.5])


@pytest.mark.parametrize(
    ("model", "X", "weights", "message"),
    [
        (PINSVOR(C=1e300), SMALL, None, "C times sample_weight nearer to 1"),
        (SVORIM(), SMALL, np.full(30, 1e200), r"adds up to 3e\+201, which is too large"),
        (OrdinalRegression(), SMALL, np.full(30, 1e-200), "adds up to 3e-199, .* too small"),
        (
            CSVOR(),
            np.where(SMALL > 0.1, np.inf, -np.inf).astype(np.float16),
            None,
            "infinity .inf.: column 0, row 0",
        ),
        (CSVOR(), pd.DataFrame(index=range(30)), None, "X has no columns"),
    ],
)
@pytest.mark.filterwarnings("ignore:column:UserWarning", "ignore:overflow:RuntimeWarning")
def test_numbers_that_cannot_be_computed_with_are_refused(model, X, weights, message):
    with pytest.raises(ValueError, match=message):
        model.fit(X, LABELS, sample_weight=weights)


@pytest.mark.parametrize("message", [None, "a fault"])
def test_a_program_of_many_trials_ends_with_1_where_there_are_faults(message, monkeypatch):
    def answer(seed):
        assert message is None, message
        return "fitted"

    monkeypatch.setattr("sys.argv", ["fuzz.py", "0", "3"])
    with pytest.raises(SystemExit) as end:
        fuzz.try_all(answer, r"\d")
    assert end.value.code == int(message is not None)
