"""
Do p and the strength matter?
=============================

The paper draws the error over its grid of p and gamma. Here gamma is 1 / (2 C), the errors are
those of cross-validation, and ``fit_many`` fits all settings with the data checked once.
"""

import numpy as np
import pandas as pd
from sklearn.datasets import load_diabetes
from sklearn.model_selection import StratifiedKFold
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR
from csvor.corruption import flip_labels
from csvor.plots import sensitivity_maps

X, progress = load_diabetes(return_X_y=True)
X = StandardScaler().fit_transform(X)
y = np.digitize(progress, np.quantile(progress, [1 / 3, 2 / 3])) + 1
spoilt, _ = flip_labels(y, 0.1, random_state=0)

# %%
# Models are fitted to labels of which one in ten was changed, and judged by the true ones.

powers = (0.5, 0.7, 1.0, 1.5, 1.7, 2.0)
gammas = 10.0 ** np.arange(-3, 4)
grid = [{"p": p, "C": 1 / (2 * gamma)} for p in powers for gamma in gammas]
errors = np.zeros(len(grid))
for train, test in StratifiedKFold(5, shuffle=True, random_state=0).split(X, y):
    models = CSVOR().fit_many(X[train], spoilt[train], grid)
    errors += [np.mean(model.predict(X[test]) != y[test]) / 5 for model in models]

# %%
# Dark is a low error. Over most of the grid gamma hardly matters; only where it is large, and p
# small, is the penalty too strong. Here a larger p is better, by little.

table = pd.DataFrame(errors.reshape(len(powers), len(gammas)), index=powers, columns=gammas)
sensitivity_maps({"diabetes": table})
