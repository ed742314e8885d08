"""Labels that people got wrong: rankings of the same held-out scores, and csvor's own audit.

    python benchmarks/real_errors.py FOLDER

FOLDER holds the files of dataset/ of github.com/cleanlab/regression-label-error-benchmark at
commit c467f34 (no licence is stated, so they are not part of this project): requests rated for
politeness by people, and two sets of rated pairs of words; `true_error` says which labels are known
to be wrong. Writes benchmarks/results/real_errors.md.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from cleanlab.regression.rank import get_label_quality_scores
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import Ridge
from sklearn.metrics import average_precision_score
from sklearn.model_selection import KFold, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import WrongLabels, audit_labels, audit_scores

SETS = {
    "politeness, Wikipedia": "standford_politeness_wiki",
    "politeness, Stack Exchange": "standford_politeness_stack",
    "label aggregation": "label_aggregation_easy_diff",
    "metaphor novelty": "metaphor_novelity_easy_diff",
}
FOLDS = KFold(5, shuffle=True, random_state=0)
RESULT = Path(__file__).parent / "results/real_errors.md"


def features_of(table: pd.DataFrame):
    """Words, pairs of words and a ridge regression; or the numbers of the file and one."""
    if "text" in table:
        words = TfidfVectorizer(min_df=2, sublinear_tf=True, ngram_range=(1, 2))
        return words.fit_transform(table["text"].fillna("")), Ridge(1.0)
    X = table.filter(like="diff").to_numpy(float)
    return X, make_pipeline(StandardScaler(), Ridge(10.0))


def precision(wrong, audit: WrongLabels) -> float:
    """Of the audit's own order."""
    suspicion = np.empty(wrong.size)
    suspicion[audit.order] = -np.arange(wrong.size)
    return average_precision_score(wrong, suspicion)


def measure(file: Path) -> dict[str, object]:
    """Average precision of each ranking."""
    table = pd.read_csv(file)
    wrong = table["true_error"].to_numpy().astype(bool)
    y = table["given_label"].to_numpy().round(3)
    X, model = features_of(table)
    score = cross_val_predict(model, X, y, cv=FOLDS)
    levels = np.unique(y)
    layer, own = audit_scores(score, y, classes=levels), audit_labels(X, y, classes=levels)
    row = {
        "rows": y.size,
        "levels": layer.classes.size,
        "wrong": f"{wrong.mean():.1%}",
        "residual": average_precision_score(wrong, np.abs(y - score)),
    }
    for method in ("residual", "outre"):
        quality = get_label_quality_scores(y, score, method=method)
        row[f"cleanlab, {method}"] = average_precision_score(wrong, -quality)
    row |= {
        "csvor, same score": precision(wrong, layer),
        "by probability": average_precision_score(wrong, layer.probability),
        "by distance": average_precision_score(wrong, layer.expected_distance),
        "csvor, own models": precision(wrong, own),
        "ranked by": layer.ordered_by,
    }
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    warnings.simplefilter("ignore")
    rows = []
    for name, stem in SETS.items():
        row = {"set": name, **measure(folder / f"{stem}.csv")}
        print({k: round(v, 3) if isinstance(v, float) else v for k, v in row.items()}, flush=True)
        rows.append(row)
    head = list(rows[0])
    lines = [
        "# Labels that people got wrong",
        "",
        "Average precision of rankings of all rows (`benchmarks/real_errors.py`). The score is",
        "that of ridge regression, held out in five parts; cleanlab's two rankings for regression",
        "and csvor (`audit_scores`) get the same. csvor's own (`audit_labels`) get the features.",
        "",
        f"| {' | '.join(head)} |",
        f"|{'---|' * len(head)}",
    ]
    for row in rows:
        cells = (f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values())
        lines.append(f"| {' | '.join(cells)} |")
    RESULT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
