"""Which stars do not fit their text? Reviews as sparse words and as embeddings, audited.

    python examples/plot_reviews.py [reviews.png]

4 000 short hotel reviews are generated: each speaks of two to five things, in words that fit how
good the stay was. Of the stars beside them 6 % are typed wrong. The texts become a sparse matrix
of word counts (TF-IDF of words and pairs of words) and, from that, an embedding of 200 numbers
(latent semantic analysis); an embedding of any other model would go the same way. csvor audits
both; cleanlab's score by logistic regression is made from the same columns. Needs cleanlab and
matplotlib (extra "bench").
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

N, WRONG, COLUMNS, FIRST = 4_000, 0.06, 200, 12
BLUE, ORANGE, GREEN, RED = "#0072B2", "#E69F00", "#009E73", "#D55E00"


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
        ax.text(0.07, place, f"{audit.suggested[i]}", color=BLUE, weight="bold", va="center")
        ax.text(0.13, place, f"{audit.probability[i]:.2f}", va="center")
        ax.text(0.25, place, "yes" if wrong[i] else "no", va="center")
        ax.text(0.36, place, texts[i][:76], va="center", fontsize="small")
    heads = {"stars": 0.0, "fit": 0.07, "P(wrong)": 0.13, "was it?": 0.25, "review": 0.36}
    for head, at in heads.items():
        ax.text(at, -1.0, head, va="center", color="0.4", fontsize="small")
    ax.set(xlim=(0.0, 1.4), ylim=(FIRST - 0.5, -1.6), title="Stars most probably wrong")
    ax.axis("off")


def draw_shares(ax, ranked, wrong):
    """How many of the first reviews of each ranking have wrong stars."""
    n = np.arange(10, 401)
    looks = ({"color": BLUE, "lw": 2.0}, {"color": GREEN, "ls": "-."},
             {"color": ORANGE, "ls": "--"}, {"color": RED, "ls": ":"})  # fmt: skip
    for (name, suspect), look in zip(ranked.items(), looks, strict=True):
        found = wrong[np.argsort(-suspect, kind="stable")].cumsum()
        ax.plot(n, found[n - 1] / n, **look, label=name)
    ax.set(
        xlim=(0, 400), ylim=(0, 1.02), xlabel="reviews looked at, most suspect first",
        ylabel="share of them with wrong stars", title="How many of the first are wrong",
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc="lower left", fontsize="small")


def main(path):
    rng = np.random.default_rng(0)
    texts, meant = make_ordinal_reviews(N, random_state=0)
    stars = mistype(meant, rng)
    wrong = stars != meant
    words = TfidfVectorizer(ngram_range=(1, 2), min_df=2, dtype=np.float32).fit_transform(texts)
    embedding = TruncatedSVD(COLUMNS, random_state=0).fit_transform(words)
    print(f"{N} reviews, {wrong.sum()} with wrong stars; {words.shape[1]} words and pairs")
    ranked, audits = {}, {}
    for view, X in {"embedding": embedding, "words": words}.items():
        audits[view] = audit_labels(X, stars)
        ranked[f"csvor, {view}"] = audits[view].probability
        ranked[f"cleanlab, {view}"] = by_cleanlab(X, stars)
        print(f"\nby {view}:\n  {audits[view].summary}")
        print(f"  of the {audits[view].named} named, {wrong[audits[view].flagged].sum()} are wrong")
    print()
    for name, suspect in ranked.items():
        print(f"average precision {average_precision_score(wrong, suspect):.3f}  {name}")
    figure, axes = plt.subplots(
        1, 2, figsize=(12.0, 4.6), width_ratios=(1.7, 1), layout="constrained"
    )
    draw_suspects(axes[0], texts, audits["embedding"], wrong)
    draw_shares(axes[1], ranked, wrong)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "reviews.png")
