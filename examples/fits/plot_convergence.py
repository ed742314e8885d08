"""
How does a fit end?
===================

The capped loss is not convex; each iteration lowers the objective by minimising a convex function
above it. csvor takes Newton's steps, the paper one pass of alternating updates. Both are drawn
for the same problem with a given cap.
"""

import warnings

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from csvor import CSVOR
from csvor.corruption import flip_labels
from csvor.plots import ConvergenceDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 6))
y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=300), [-1, 0, 1])
y, _ = flip_labels(y, 0.15, random_state=0)

# %%
# The paper's scheme is stopped after a hundred iterations, and says that it has not ended.

newton = CSVOR(C=5, epsilon=4).fit(X, y)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", ConvergenceWarning)
    paper = CSVOR(C=5, epsilon=4, solver="alternating", max_iter=100).fit(X, y)
for name, model in {"Newton": newton, "alternating": paper}.items():
    print(f"{name}: {model.n_iter_} iterations, objective {model.objective_:.1f}")

# %%
# While the loss still changes (left of the dotted line) the objectives of Newton's run belong to
# different problems and may rise; from there on they do not.

ConvergenceDisplay.from_results(
    {"CSVOR": newton.objective_history_, "alternating": paper.objective_history_},
    settled_from=newton.settled_from_,
)
