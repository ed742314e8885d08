"""
What do wrong labels cost?
==========================

Models are fitted to rows of which some labels were changed to another at random, and judged on
other rows whose labels are right. CSVOR cuts a tenth of the rows away; the losses of SVOREX and
SVORIM grow without bound, so a row far on the wrong side pulls the harder the farther it is.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold

from csvor import CSVOR, SVOREX, SVORIM
from csvor.plots import RobustnessDisplay

rng = np.random.default_rng(0)
X = rng.normal(size=(300, 4))
y = np.digitize(X @ [2, 1, 0, -1] + 0.3 * rng.normal(size=300), [-2.5, 0, 2])

# %%
# A Display can do the fits itself. All models meet the same wrong labels; any classifier of
# scikit-learn may stand beside those of csvor.

models = {
    "CSVOR": CSVOR(),
    "SVOREX": SVOREX(),
    "SVORIM": SVORIM(),
    "logistic regression": LogisticRegression(),
}
display = RobustnessDisplay.from_estimator(
    models,
    X,
    y,
    shares=(0, 0.05, 0.1, 0.2, 0.3),
    cv=RepeatedStratifiedKFold(n_splits=3, n_repeats=5, random_state=0),
)
print(display.errors.round(3))
