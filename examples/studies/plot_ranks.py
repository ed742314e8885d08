"""
Which method is best over many data sets?
=========================================

One data set proves little. Average ranks over many, with the tests that say which methods are not
told apart, are the usual way to compare. Here twelve generated problems with wrong labels stand
for them; ``csvor study`` does this for data sets of yours.
"""

import numpy as np
import pandas as pd

from csvor import CSVOR, PINSVOR, REDSVM, SVOREX, SVORIM
from csvor.corruption import flip_labels
from csvor.plots import critical_difference
from csvor.stats import compare

models = {
    "CSVOR": CSVOR(contamination=0.2),
    "SVOREX": SVOREX(),
    "SVORIM": SVORIM(),
    "REDSVM": REDSVM(),
    "PINSVOR": PINSVOR(tau=0.1),
}
errors = pd.DataFrame(index=range(12), columns=list(models), dtype=float)
for case in errors.index:
    rng = np.random.default_rng(case)
    X = rng.normal(size=(1400, 3 + case // 2))
    w = rng.normal(size=X.shape[1])
    score = X @ w / np.linalg.norm(w) + 0.2 * rng.normal(size=len(X))
    y = np.digitize(score, np.quantile(score, [0.2, 0.4, 0.6, 0.8]))
    spoilt, _ = flip_labels(y[:200], 0.2, random_state=case)
    for name, model in models.items():
        errors.loc[case, name] = np.mean(model.fit(X[:200], spoilt).predict(X[200:]) != y[200:])
print(errors.mean().round(3).to_string())

# %%
# Methods under one bar are not told apart.

found = compare(errors, better="lower")
print(f"{found.test.name}: p = {found.test.p_value:.1e}")
critical_difference(
    found.ranks.average, found.critical_difference, groups=found.groups, n_cases=len(errors)
)
