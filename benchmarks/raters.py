"""Several raters an item: csvor beside crowd-kit, cleanlab and raschpy, and beside the truth.

    python benchmarks/raters.py FOLDER [--cache FOLDER] [--only politeness]

benchmarks/README.md says what is measured and which files FOLDER holds. Each part is kept in the
cache, and results/raters.md is written from those that are there. Needs crowd-kit, cleanlab and
raschpy.
"""

import argparse
import csv
import json
import os
import resource
import time
from collections import Counter
from pathlib import Path
from typing import Any

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
import pandas as pd
from dirty import versions, write_result
from raters_rivals import (
    consensus_of_others,
    dawid_skene,
    facet_severities,
    many_facets,
    predictions_of_others,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from csvor import CSVOR, audit_raters

Row = dict[str, Any]


def log_score(probabilities: np.ndarray, y: np.ndarray) -> np.ndarray:
    probabilities = np.maximum(probabilities, 1e-12)
    return -np.log(probabilities[np.arange(y.size), y] / probabilities.sum(axis=1))


def text_features(texts: list[str], frequency: Counter[str]) -> np.ndarray:
    """Length, length of words, rare words, signs, and politeness in a word or two."""
    rows = []
    for text in texts:
        words = [w for w in text.lower().split() if any(c.isalpha() for c in w)] or ["a"]
        rare = np.log([frequency[w] for w in words])
        long = [len(w) for w in words]
        polite = [text.lower().count(w) for w in ("please", "thank", "could", "you", "why", "?")]
        rows.append([len(words), np.log(len(words)), np.mean(long), max(long), rare.mean(),
                     rare.min(), np.mean(rare < np.log(5)), text.count(","), *polite])  # fmt: skip
    return np.array(rows, dtype=float)


def politeness(folder: Path) -> list[Row]:
    """One of five ratings held out, and predicted with the rater's name."""
    table = pd.read_csv(folder / "stack-exchange.annotated.csv")
    scores = table[[f"Score{i}" for i in range(1, 6)]].to_numpy()
    people = table[[f"TurkId{i}" for i in range(1, 6)]].to_numpy()
    n = len(table)
    away = np.zeros(scores.shape, dtype=bool)
    away[np.arange(n), np.random.default_rng(0).integers(0, 5, n)] = True
    words = Counter(w for text in table.Request for w in str(text).lower().split())
    X = text_features([str(text) for text in table.Request], words)
    items = np.repeat(np.arange(n), 4)
    rows: list[Row] = []
    for K in (5, 9):
        labels = np.ceil(scores * K / 25).astype(int) - 1
        y, who = labels[~away], people[~away]
        truth, asked = labels[away], people[away]
        found = predictions_of_others(items, who, y, asked, K)
        line = make_pipeline(StandardScaler(), CSVOR(constraints="implicit"))
        for name, features in (("csvor", None), ("csvor, features", np.repeat(X, 4, axis=0))):
            start = time.perf_counter()
            audit = audit_raters(features, y, items, who, classes=np.arange(K), estimator=line)
            place = {rater: r for r, rater in enumerate(audit.raters.names)}
            predicted = np.zeros((n, K))
            for rater in set(asked):
                of_rater = asked == rater
                known = rater in place
                by = audit.predict_ratings(rater) if known else audit.class_probabilities
                predicted[of_rater] = by[of_rater]
            found[name] = predicted, None, time.perf_counter() - start
        for name, (chances, values, seconds) in found.items():
            if values is None:
                values = (np.cumsum(chances, axis=1) >= 0.5 - 1e-12).argmax(axis=1)
            score = None if chances is None else float(log_score(chances, truth).mean())
            rows.append({"levels": K, "method": name, "log score": score,
                         "mean absolute error": float(np.abs(values - truth).mean()),
                         "seconds": round(seconds, 1)})  # fmt: skip
    return rows


def adult_content(folder: Path) -> list[Row]:
    """The consensus of 825 workers beside gold."""
    names = ["worker", "task", "label"]
    table = pd.read_csv(folder / "ac2_labels.txt", sep="\t", header=None, names=names)
    gold = pd.read_csv(folder / "ac2_gold.txt", sep="\t", header=None, names=["task", "label"])
    table = table.drop_duplicates(["worker", "task"])
    gold = gold[gold.task.isin(table.task)].set_index("task").label.map("GPRX".index)
    start = time.perf_counter()
    audit = audit_raters(None, table.label, table.task, table.worker, classes=list("GPRX"))
    by_csvor = pd.Series(audit.label, audit.items)
    found = {"csvor": (by_csvor, time.perf_counter() - start)} | consensus_of_others(table)
    rows = []
    for name, (labels, seconds) in found.items():
        distance = (labels.reindex(gold.index).map("GPRX".index) - gold).abs()
        rows.append({"method": name, "gold items": gold.size, "error": float((distance > 0).mean()),
                     "cost": float(distance.mean()), "seconds": round(seconds, 1)})  # fmt: skip
    return rows


def sentences(folder: Path) -> list[Row]:
    """The level that B gives from the one of A, with and without features of the sentence."""
    parts = {
        part: pd.read_csv(folder / f"CEFR-SP_{part}.txt", sep="\t", header=None,
                          names=["text", "A", "B"], quoting=csv.QUOTE_NONE)
        for part in ("SCoRE", "Wikiauto")
    }  # fmt: skip
    words = Counter(w for t in parts.values() for s in t.text for w in s.lower().split())
    rows = []
    for name, table in parts.items():
        X, marks = text_features(list(table.text), words)[:, :8], table[["A", "B"]]
        whole = audit_raters(None, marks, classes=range(1, 7))
        scores = {
            m: np.zeros(len(table)) for m in ("A alone", "Dawid-Skene", "csvor", "csvor, features")
        }
        folds = np.random.default_rng(0).integers(0, 5, len(table))
        A, B = (table[column].to_numpy() - 1 for column in "AB")
        for fold in range(5):
            test = folds == fold
            counts = np.full((6, 6), 0.1)
            np.add.at(counts, (A[~test], B[~test]), 1.0)
            alone = counts + 2.0 * counts.sum(axis=0) / counts.sum()
            scores["A alone"][test] = log_score(alone[A[test]], B[test])
            items = np.append(np.arange(A.size), np.flatnonzero(~test))
            who = np.append(np.zeros(A.size, int), np.ones((~test).sum(), int))
            both = dawid_skene(items, who, np.append(A, B[~test]), 6)
            scores["Dawid-Skene"][test] = log_score((both[0] @ both[1][1])[test], B[test])
            held = marks.astype(float)
            held.loc[test, "B"] = np.nan
            for method, features in (("csvor", None), ("csvor, features", X)):
                audit = audit_raters(features, held, classes=range(1, 7))
                scores[method][test] = log_score(audit.predict_ratings("B")[test], B[test])
        shift, ends = whole.raters.shift, whole.raters.shift_interval
        low, high = ends[1] - ends[0, ::-1]
        rows += [{"part": name, "method": method, "log score": float(score.mean()),
                  "B above A": f"{shift[1] - shift[0]:.2f} ({low:.2f} to {high:.2f})"}
                 for method, score in scores.items()]  # fmt: skip
    return rows


def facets(folder: Path) -> list[Row]:
    """Generated many-facet tables: intervals beside the truth, severities beside raschpy's."""
    inside, same, raschpy, csvor = [], [], [], []
    for seed in range(200):
        y, items, who, severity, truth = many_facets(seed, np.round(np.geomspace(5, 500, 20)), 600)
        audit = audit_raters(None, y, items, who)
        low, high = audit.raters.shift_interval.T
        inside.append((low <= truth) & (truth <= high))
    for seed in range(20):
        y, items, who, severity, _ = many_facets(seed, np.full(20, 150.0), 500)
        shift = audit_raters(None, y, items, who).raters.shift
        others = facet_severities(items, who, y)
        same.append(-np.corrcoef(shift, others)[0, 1])
        raschpy.append(np.corrcoef(others, severity)[0, 1])
        csvor.append(-np.corrcoef(shift, severity)[0, 1])
    of_raters = np.mean(inside, axis=0)
    return [{"coverage": float(np.mean(inside)), "raters with fewest": float(of_raters[:10].mean()),
             "with most": float(of_raters[10:].mean()), "correlation with raschpy": min(same),
             "mean": float(np.mean(same)), "raschpy and truth": float(np.mean(raschpy)),
             "csvor and truth": float(np.mean(csvor))}]  # fmt: skip


def speed(folder: Path) -> list[Row]:
    """1 000 000 ratings of 100 000 items by 5 000 raters."""
    rng = np.random.default_rng(0)
    truth, shift = rng.integers(0, 5, 100_000), rng.normal(0.0, 0.5, 5_000)
    items, who = np.repeat(np.arange(truth.size), 10), rng.integers(0, 5_000, 1_000_000)
    y = truth[items] + shift[who] + 0.6 * rng.normal(size=items.size)
    y = np.clip(np.round(y), 0, 4).astype(int)
    audit_raters(None, y[:100], items[:100], who[:100] % 5)  # machine code is read
    start = time.perf_counter()
    audit = audit_raters(None, y, items, who)
    seconds = time.perf_counter() - start
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    return [{"seconds": round(seconds, 1), "GB": round(memory, 2),
             "classes found": float((audit.label == truth).mean())}]  # fmt: skip


PARTS = {
    "politeness": (politeness, "Politeness: one of five ratings held out"),
    "adult content": (adult_content, "AdultContent2: the consensus beside gold"),
    "sentences": (sentences, "CEFR-SP: the level that B gives from the one of A"),
    "facets": (facets, "Many-facet tables: 200 draws of 20 raters with 5 to 500 ratings"),
    "speed": (speed, "1 000 000 ratings of 100 000 items by 5 000 raters"),
}


def table_of(rows: list[Row]) -> str:
    def cell(value: Any) -> str:
        return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value)

    lines = [" | ".join(rows[0]), " | ".join("---" for _ in rows[0])]
    lines += [" | ".join(cell(value) for value in row.values()) for row in rows]
    return "\n".join(f"| {line} |" for line in lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--cache", type=Path, default=Path(".raters"))
    parser.add_argument("--only", choices=PARTS, nargs="*", default=list(PARTS))
    options = parser.parse_args()
    options.cache.mkdir(exist_ok=True)
    for part in options.only:
        rows = PARTS[part][0](options.folder)
        print(table_of(rows), flush=True)
        (options.cache / f"{part}.json").write_text(json.dumps(rows))
    text = ["# Several raters", "`benchmarks/README.md` says what was measured."]
    for part, (_, title) in PARTS.items():
        kept = options.cache / f"{part}.json"
        if kept.exists():
            text += [f"## {title}", table_of(json.loads(kept.read_text()))]
    text.append(versions("crowd-kit", "cleanlab", "raschpy"))
    write_result("raters", "\n\n".join(text))


if __name__ == "__main__":
    main()
