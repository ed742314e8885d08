"""
How many labels must be looked at?
==================================

Looking at labels costs time. A good ranking brings the wrong ones first; the audit also says
where to stop. cleanlab's ranking by logistic regression stands beside it.
"""

import matplotlib.pyplot as plt
import numpy as np
from cleanlab.rank import get_label_quality_scores
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from csvor import audit_labels
from csvor.audit import candidate_models
from csvor.corruption import flip_labels
from csvor.plots import COLOURS

rng = np.random.default_rng(1)
X = rng.normal(size=(1000, 5))
truth = np.digitize(X @ [2, 1, 0, -1, 0.5] + rng.normal(size=1000), [-3, -1, 1, 3])
y, wrong = flip_labels(truth, 0.1, random_state=0)

audit = audit_labels(X, y, candidate_models(X, fixed={"kernel": "linear"}))
unseen = cross_val_predict(LogisticRegression(), X, y, cv=5, method="predict_proba")
quality = get_label_quality_scores(y, unseen, method="self_confidence")
print(audit.summary)

# %%
# The dot is where the audit stops naming rows; beyond it a label is more probably right than wrong.

figure, ax = plt.subplots(figsize=(5.2, 3.4), layout="constrained")
looked_at = np.arange(1, 301)
for order, label, look in (
    (audit.order, "csvor", {"color": COLOURS["CSVOR"]}),
    (np.argsort(quality), "cleanlab", {"color": COLOURS["SVOREX"], "ls": "--"}),
):
    ax.plot(looked_at, wrong[order].cumsum()[:300] / wrong.sum(), label=label, **look)
stop = audit.named
ax.plot(stop, wrong[audit.order[:stop]].sum() / wrong.sum(), "o", color=COLOURS["CSVOR"])
ax.plot(looked_at, np.minimum(looked_at / wrong.sum(), 1), ":", color="0.5", label="perfect")
ax.plot(looked_at, looked_at / len(y), color="0.8", label="at random")
ax.set(
    xlabel="labels looked at",
    ylabel="share of the wrong labels found",
    xlim=(0, 300),
    ylim=(0, 1.02),
)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="lower right")
