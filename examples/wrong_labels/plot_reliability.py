"""
Are the promised probabilities kept?
====================================

An audit says of each label with which probability it is wrong. Where the truth is known, that can
be held against what was found: of the labels that are wrong with probability 0.9, nine in ten
should be.
"""

import numpy as np

from csvor import audit_labels
from csvor.audit import candidate_models
from csvor.corruption import flip_labels
from csvor.plots import ReliabilityDisplay

# %%
# One file holds few doubtful labels, so four are made, each with other rows and other errors.

promised, truth = [], []
for seed in range(4):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(600, 4))
    y = np.digitize(X @ [2, 1, 0, -1] + 0.8 * rng.normal(size=600), [-2.5, 0, 2])
    given, wrong = flip_labels(y, 0.1, random_state=seed)
    lines = candidate_models(X, fixed={"kernel": "linear"})
    promised.append(audit_labels(X, given, lines).probability)
    truth.append(wrong)

# %%
# Points near the diagonal are promises that were kept. The bars are 95 % intervals of the share
# found; the numbers count the labels of a group. Above the diagonal more labels were wrong than was
# promised.

ReliabilityDisplay.from_predictions(np.concatenate(truth), np.concatenate(promised))
