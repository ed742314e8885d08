"""
How strict are eight graders of essays?
=======================================

Each of 1 200 essays was marked from 1 to 6 by one of eight graders. One is strict, one is mild, one
does not read each essay. To an audit that does not know who marked what, a strict grader is noise.
If it knows, it says how strict each is, and which marks are wrong by the middle of the graders.
"""

import numpy as np
from sklearn.metrics import average_precision_score

from csvor import CSVOR, audit_labels
from csvor.plots import RatersDisplay

rng = np.random.default_rng(1)
n = 1200
graders = np.array(["Ada", "Ben", "Cleo", "Dora", "Emil", "Fay", "Gus", "Hana"])
by = rng.integers(0, 8, n)
words, errors, rare = rng.normal(400, 90, n), rng.poisson(9, n), rng.beta(2, 20, n)
X = np.column_stack([words, errors, rare])
quality = (words - 400) / 90 - (errors - 9) / 3 + (rare - 0.09) / 0.06 + 0.3 * rng.logistic(size=n)
cuts = np.array([-2.5, -1.2, 0.0, 1.2, 2.5])
mark = 1 + np.digitize(quality, cuts)

strictness = np.zeros(8)
strictness[[1, 2]] = 1.1, -0.9  # Ben is mild, Cleo is strict
given = 1 + np.digitize(quality + strictness[by], cuts)
unread = (by == 6) & (rng.random(n) < 0.3)  # Gus
given[unread] = rng.integers(1, 7, unread.sum())
wrong = given != mark

# %%
# Without the graders few of the wrong marks are flagged.

model = CSVOR()
without = audit_labels(X, given, model)
audit = audit_labels(X, given, model, raters=graders[by])
print(f"{wrong.sum()} of {n} marks are wrong")
for name, it in (("without graders", without), ("with graders", audit)):
    precision = average_precision_score(wrong, it.probability)
    print(f"{name}: {it.summary}\n    right are {wrong[it.flagged].sum()}; {precision=:.2f}")

# %%
# The table says who it is. The interval of a grader who is like the others holds 0.

print(audit.raters)
audit.raters.to_frame().round(2)

# %%

RatersDisplay.from_table(audit.raters)
