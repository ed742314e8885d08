"""
Can a model of mine be audited?
===============================

``audit_scores`` takes what any model says of rows that it has not seen: class probabilities,
margins or one score. Here a logistic regression of scikit-learn sees squares and products of the
columns, and so a curve that no line follows.
"""

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import PolynomialFeatures

from csvor import audit_scores
from csvor.corruption import flip_labels
from csvor.plots import SuspectsDisplay

rng = np.random.default_rng(0)
X = rng.uniform(-2, 2, size=(900, 3))
truth = np.digitize((X**2).sum(axis=1) + 0.3 * rng.normal(size=900), [2.5, 4, 5.5])
y, wrong = flip_labels(truth, 0.08, random_state=0)

# %%
# The probabilities are out of fold, in the order of the classes. The mixture of right and wrong
# labels does the rest.

model = make_pipeline(PolynomialFeatures(2), LogisticRegression(max_iter=1000))
unseen = cross_val_predict(model, X, y, cv=5, method="predict_proba")
found = audit_scores(unseen, y)
print(found.summary)
print(f"wrong labels among those flagged: {wrong[found.flagged].sum()} of {wrong.sum()}")

# %%
# The expected class stands for the score.

SuspectsDisplay.from_predictions(unseen @ np.arange(4), found.probability)
