"""
What if rows are copies of each other?
======================================

A hundred and fifty records were entered three times each, wrong labels with them. Where copies
fall into different parts, a wrong record is judged by its own copies and passes for right.
``groups=`` keeps them together.
"""

import matplotlib.pyplot as plt
import numpy as np

from csvor import audit_labels
from csvor.audit import candidate_models
from csvor.corruption import flip_labels
from csvor.plots import COLOURS

rng = np.random.default_rng(0)
X = rng.normal(size=(150, 8))
y = np.digitize(X[:, :3].sum(axis=1) + 0.3 * rng.normal(size=150), [-1.5, 0, 1.5])
y, wrong = flip_labels(y, 0.1, random_state=0)
record = np.repeat(np.arange(150), 3)

models = candidate_models(X[record], fixed={"kernel": "rbf"})
audits = {
    "rows taken for\nindependent": audit_labels(X[record], y[record], models),
    "groups= the record": audit_labels(X[record], y[record], models, groups=record),
}
for name, audit in audits.items():
    right = wrong[record][audit.flagged].sum()
    print(f"{' '.join(name.split())}: {audit.named} flagged, {right} of them wrong")

# %%
# Bars are 95 % intervals of the share of wrong labels. (With groups, rows still count one by one in
# the likelihood, so the interval is that of 450 rows; ``sample_weight=1/3`` makes it that of 150.)

figure, ax = plt.subplots(figsize=(4.8, 2.0), layout="constrained")
for place, audit in enumerate(audits.values()):
    reach = [[audit.share - audit.low], [audit.high - audit.share]]
    ax.errorbar(audit.share, place, xerr=reach, fmt="o", capsize=4, color=COLOURS["CSVOR"])
ax.axvline(wrong.mean(), color="0.4", linestyle="--", label="truth")
ax.set(yticks=range(2), yticklabels=list(audits), ylim=(-0.6, 1.6), xlabel="share of wrong labels")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="upper left", bbox_to_anchor=(1.0, 1.0))
