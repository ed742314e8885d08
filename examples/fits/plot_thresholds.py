"""
Where do the thresholds cut the scores?
=======================================

A fitted model is one score and a few thresholds. A good score puts the rows of each class between
their two thresholds. The data are the diabetes set of scikit-learn: how far the disease went on
within a year, cut into four classes of equal size.
"""

import numpy as np
from sklearn.datasets import load_diabetes
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR
from csvor.plots import ThresholdDisplay

X, progress = load_diabetes(return_X_y=True)
y = np.digitize(progress, np.quantile(progress, [0.25, 0.5, 0.75])) + 1

# %%
# With implicit constraints each row meets all thresholds, so that none of the overlapping classes
# is left without an interval. The classes overlap: a score of ten columns tells the ends of the
# scale apart, and the two classes in the middle less well. A row on the wrong side of a threshold
# is an error of one class.

model = make_pipeline(StandardScaler(), CSVOR(constraints="implicit")).fit(X, y)
print(f"right: {model.score(X, y):.0%}; at most one class off: "
      f"{np.mean(np.abs(model.predict(X) - y) <= 1):.0%}")  # fmt: skip
ThresholdDisplay.from_estimator(model, X, y)
