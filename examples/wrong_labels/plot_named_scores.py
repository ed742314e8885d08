"""
What makes a label suspect?
===========================

The scores of an audit are held-out ones. A row is flagged where it lies among rows of another
class, and noise cannot explain that.
"""

import numpy as np

from csvor import audit_labels
from csvor.audit import candidate_models
from csvor.corruption import flip_labels
from csvor.plots import ThresholdDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(800, 4))
stages = ["I", "II", "III", "IV"]
rank = np.digitize(X @ [2, 1, 0, -1] + 0.4 * rng.normal(size=800), [-2.5, 0, 2])
given, wrong = flip_labels(np.array(stages)[rank], 0.1, random_state=0)

# %%
# A line is enough here, so only lines are compared.

lines = candidate_models(X, fixed={"kernel": "linear"})
audit = audit_labels(X, given, lines, classes=stages)
print(audit.summary)

# %%
# Red are the rows that are flagged. Rows beside a threshold are not: there a label one class off
# looks just like noise.

ThresholdDisplay.from_audit(audit)
