"""
Which labels are wrong?
=======================

Four hundred rows with four grades; one label in twelve was changed to another. The audit judges
each row by models that have not seen it and says how many labels are wrong, which, and how sure
that is.
"""

# %%
# The data: grades follow a score of four columns, with some noise.

import numpy as np

from csvor import audit_labels
from csvor.corruption import flip_labels
from csvor.plots import SuspectsDisplay

rng = np.random.default_rng(3)
X = rng.normal(size=(400, 4))
score = X @ [2, 1, 0, -1] + 0.5 * rng.normal(size=400)
grades = np.array(["poor", "fair", "good", "excellent"])
truth = grades[np.digitize(score, [-2.5, 0, 2])]
given, wrong = flip_labels(truth, 1 / 12, random_state=0)

# %%
# The audit needs the data and the order of the grades, and no other choice.

audit = audit_labels(X, given, classes=grades)
print(audit.summary)
print(f"wrong labels among those flagged: {wrong[audit.flagged].sum()} of {wrong.sum()}")

# %%
# Each point is a row. The higher it stands, the more probably its label is wrong; above the line
# it is flagged. Valleys between the thresholds are rows that lie where their label says they
# should.

SuspectsDisplay.from_audit(audit)
