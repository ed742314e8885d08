"""
How do two language models judge?
=================================

Answers of an assistant are marked from 1 to 5 by two language models, and a part of them by people
as well. A judge who gives a 4 where people give a 3 is no worse than another one, once it is known;
one who does not look is. With several labels an item no features are needed.
"""

import numpy as np

from csvor import audit_raters
from csvor.plots import RatersDisplay

rng = np.random.default_rng(0)
n = 800
quality = rng.normal(size=n)
cuts = np.array([-1.3, -0.4, 0.4, 1.3])


def marks(shift, noise):
    return 1 + np.digitize(quality + shift + noise * rng.logistic(size=n), cuts)


people = marks(0.0, 0.12).astype(float)
kind_judge = marks(0.8, 0.15).astype(float)
hasty_judge = marks(0.0, 0.15).astype(float)
unseen = rng.random(n) < 0.25
hasty_judge[unseen] = rng.integers(1, 6, unseen.sum())

# %%
# People marked every third answer; a blank is no mark.

checked = people.copy()
checked[np.arange(n) % 3 > 0] = np.nan
table = np.column_stack([checked, kind_judge, hasty_judge])
audit = audit_raters(None, table, raters=["people", "kind", "hasty"], reference="people")
print(audit.summary)
RatersDisplay.from_table(audit.raters)
audit.raters.to_frame().round(2)

# %%
# The consensus corrects for both. Where people did not look, it is nearer to what they would have
# said than either judge, or the median of the two.

blank = np.isnan(checked)
guesses = {
    "kind judge": kind_judge,
    "hasty judge": hasty_judge,
    "their mean": (kind_judge + hasty_judge) / 2,
    "consensus": audit.label,
}
for name, guess in guesses.items():
    print(f"{name:12} off by {np.abs(guess - people)[blank].mean():.2f} classes in the mean")

# %%
# Which answers should a person look at first? Those of which one more mark tells most.

audit.to_frame().sort_values("ask").head(5).round(2)
