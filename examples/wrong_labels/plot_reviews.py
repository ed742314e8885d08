"""
Which stars do not fit their text?
==================================

Short hotel reviews are generated: each speaks of two to five things, in words that fit how good
the stay was. Of the stars beside them 6 % are typed wrong. The texts become an embedding (latent
semantic analysis; one of a language model goes the same way), which csvor audits. cleanlab ranks
the same columns by logistic regression.
"""

import sys

import matplotlib.pyplot as plt
import numpy as np
from cleanlab.rank import get_label_quality_scores
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from csvor import audit_labels
from csvor.datasets import make_ordinal_reviews

N, WRONG, COLUMNS, FIRST = 1_000, 0.06, 60, 12
BLUE, ORANGE, RED = "#0072B2", "#E69F00", "#D55E00"


def mistype(stars, rng):
    """Another number of stars in some reviews."""
    wrong = rng.random(stars.size) < WRONG
    return np.where(wrong, (stars - 1 + rng.integers(1, 5, stars.size)) % 5 + 1, stars)


def by_cleanlab(X, y):
    """cleanlab's doubt of each label, by logistic regression."""
    parts = StratifiedKFold(5, shuffle=True, random_state=0)
    model = LogisticRegression(C=10.0, max_iter=1000)
    mass = cross_val_predict(model, X, y, cv=parts, method="predict_proba")
    return 1.0 - get_label_quality_scores(y - 1, mass, method="self_confidence")


def draw_suspects(ax, texts, audit, wrong):
    """The reviews whose stars fit least."""
    for place, i in enumerate(audit.order[:FIRST]):
        ax.text(0.0, place, f"{audit.given[i]}", color=RED, weight="bold", va="center")
        ax.text(0.09, place, f"{audit.suggested[i]}", color=BLUE, weight="bold", va="center")
        ax.text(0.16, place, f"{audit.probability[i]:.2f}", va="center")
        ax.text(0.28, place, "yes" if wrong[i] else "no", va="center")
        ax.text(0.41, place, texts[i][:58], va="center", fontsize="small")
    heads = {"stars": 0.0, "fit": 0.09, "chance": 0.16, "wrong?": 0.28, "review": 0.41}
    for head, at in heads.items():
        ax.text(at, -1.0, head, va="center", color="0.4", fontsize="small")
    ax.set(xlim=(0.0, 1.28), ylim=(FIRST - 0.5, -1.6), title="Stars most probably wrong")
    ax.axis("off")


def draw_shares(ax, ranked, wrong):
    """How many of the first reviews of each ranking have wrong stars."""
    n = np.arange(10, 201)
    looks = ({"color": BLUE, "lw": 2.0}, {"color": ORANGE, "ls": "--"})
    for (name, suspect), look in zip(ranked.items(), looks, strict=True):
        found = wrong[np.argsort(-suspect, kind="stable")].cumsum()
        ax.plot(n, found[n - 1] / n, **look, label=name)
    ax.set(
        xlim=(0, 200), ylim=(0, 1.02), xlabel="reviews looked at, most suspect first",
        ylabel="share of them with wrong stars", title="How many of the first are wrong",
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower left", fontsize="small")


# %%
# Texts, stars, and columns of numbers.

texts, meant = make_ordinal_reviews(N, random_state=0)
stars = mistype(meant, np.random.default_rng(0))
wrong = stars != meant
words = TfidfVectorizer(ngram_range=(1, 2), min_df=2).fit_transform(texts)
embedding = TruncatedSVD(COLUMNS, random_state=0).fit_transform(words)
print(f"{N} reviews, {wrong.sum()} with wrong stars; {words.shape[1]} words and pairs")

# %%
# The audit, and both rankings held against the truth.

audit = audit_labels(embedding, stars)
print(audit.summary)
print(f"of the {audit.named} flagged, {wrong[audit.flagged].sum()} are wrong")
ranked = {"csvor": audit.probability, "cleanlab": by_cleanlab(embedding, stars)}
for name, suspect in ranked.items():
    print(f"average precision {average_precision_score(wrong, suspect):.3f}  {name}")

# %%
# In red the stars given, in blue those that fit the text. ``python plot_reviews.py reviews.png``
# keeps the picture.

figure, axes = plt.subplots(2, 1, figsize=(6.6, 8.2), height_ratios=(1.3, 1), layout="constrained")
draw_suspects(axes[0], texts, audit, wrong)
draw_shares(axes[1], ranked, wrong)
if len(sys.argv) > 1:
    figure.savefig(sys.argv[1], dpi=180)
