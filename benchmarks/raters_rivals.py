"""What others make of several labels an item: crowd-kit, cleanlab, raschpy and Dawid-Skene."""

import time
from typing import Any

import numpy as np
import pandas as pd

Array = np.ndarray


def dawid_skene(items: Array, who: Array, y: Array, K: int, pool: float = 0.0) -> tuple[Any, Any]:
    """Posteriors (n_items, K) and tables (n_raters, K, K); `pool` rows of the pooled table each.

    By EM from the shares of votes; crowd-kit's is the same without `pool` and floors of 0.1.
    """
    posterior = np.zeros((items.max() + 1, K))
    np.add.at(posterior, (items, y), 1.0)
    posterior /= posterior.sum(axis=1, keepdims=True)
    for _ in range(50):
        counts = np.zeros((who.max() + 1, K, K))
        np.add.at(counts, (who, slice(None), y), posterior[items])
        pooled = counts.sum(axis=0) + 0.01
        tables = counts + 0.1 + pool * pooled / pooled.sum(axis=1, keepdims=True)
        tables /= tables.sum(axis=2, keepdims=True)
        logs = np.tile(np.log(posterior.mean(axis=0)), (posterior.shape[0], 1))
        np.add.at(logs, items, np.log(tables)[who, :, y])
        posterior = np.exp(logs - logs.max(axis=1, keepdims=True))
        posterior /= posterior.sum(axis=1, keepdims=True)
    return posterior, tables


def predictions_of_others(
    items: Array, who: Array, y: Array, asked: Array, K: int
) -> dict[str, tuple[Any, Any, float]]:
    """Of each method probabilities of the label held out, or the label, and seconds."""
    from cleanlab.multiannotator import get_label_quality_multiannotator
    from crowdkit.aggregation import GLAD, MMSR

    votes = np.zeros((items.max() + 1, K))
    np.add.at(votes, (items, y), 1.0)
    shares = np.bincount(y, minlength=K) / y.size
    smoothed = votes + 2.0 * shares
    means = votes @ np.arange(K) / votes.sum(axis=1)
    found: dict[str, tuple[Any, Any, float]] = {
        "majority": (smoothed, votes.argmax(axis=1), 0.0),
        "mean": (None, means, 0.0),
    }
    _, numbers = np.unique(np.append(who, asked), return_inverse=True)
    number, number_asked = numbers[: who.size], numbers[who.size :]
    for name, pool in (("Dawid-Skene", 0.0), ("Dawid-Skene, pooled", 5.0)):
        start = time.perf_counter()
        posterior, tables = dawid_skene(items, number, y, K, pool)
        tables = np.concatenate([tables, np.tile(tables.mean(axis=0), (numbers.max() + 1, 1, 1))])
        chances = np.einsum("jt,jtk->jk", posterior, tables[number_asked])
        found[name] = chances, None, time.perf_counter() - start
    table = pd.DataFrame({"task": items, "worker": who, "label": y})
    for name, method in (("GLAD", GLAD()), ("MMSR", MMSR())):
        start = time.perf_counter()
        labels = method.fit_predict(table).sort_index().to_numpy()
        found[name] = None, labels, time.perf_counter() - start
    wide = table.pivot(index="task", columns="worker", values="label")
    start = time.perf_counter()
    quality = get_label_quality_multiannotator(
        wide, smoothed / smoothed.sum(axis=1, keepdims=True), verbose=False
    )
    labels = quality["label_quality"]["consensus_label"].to_numpy()
    found["CROWDLAB"] = None, labels, time.perf_counter() - start
    start = time.perf_counter()
    chances = _facets(items, who, y, asked, K)
    found["raschpy, facets"] = chances, None, time.perf_counter() - start
    return found


def consensus_of_others(table: pd.DataFrame) -> dict[str, tuple[pd.Series, float]]:
    """Labels of tasks by crowd-kit's methods, and seconds."""
    from crowdkit.aggregation import MACE, MMSR, DawidSkene, MajorityVote, OneCoinDawidSkene

    methods = (MajorityVote(), DawidSkene(), OneCoinDawidSkene(), MMSR(), MACE())
    found = {}
    for method in methods:
        start = time.perf_counter()
        labels = method.fit_predict(table)
        found[type(method).__name__] = labels, time.perf_counter() - start
    return found


def _facets(items: Array, who: Array, y: Array, asked: Array, K: int) -> Array:
    """Probabilities by raschpy: one severity a rater, estimates of items by their ratings."""
    model = _model_of(items, who, y, K)
    model.calibrate_global()
    model.person_estimates_global()
    severity = pd.Series(model.raters_global)
    places = pd.Series(model.persons_global).reindex([f"i{j:06d}" for j in range(items.max() + 1)])
    places = places.fillna(places.mean()).to_numpy(dtype=float)
    of_asked = severity.reindex([f"r{rater}" for rater in asked]).fillna(0.0).to_numpy(dtype=float)
    thresholds = np.asarray(model.thresholds, dtype=float)[-(K - 1) :]
    logits = np.arange(K) * (places - of_asked)[:, None] - np.append(0.0, np.cumsum(thresholds))
    chances = np.exp(logits - logits.max(axis=1, keepdims=True))
    return chances / chances.sum(axis=1, keepdims=True)


def facet_severities(items: Array, who: Array, y: Array) -> Array:
    """Severities by raschpy, in the order of the raters' numbers."""
    model = _model_of(items, [f"{rater:03d}" for rater in who], y, int(y.max()) + 1)
    model.calibrate_global()
    return pd.Series(model.raters_global).sort_index().to_numpy(dtype=float)


def _model_of(items: Any, who: Any, y: Array, K: int) -> Any:
    from raschpy.mfrm import MFRM

    index = [[f"r{rater}" for rater in who], [f"i{j:06d}" for j in items]]
    table = pd.DataFrame(
        {"label": y.astype(float)}, pd.MultiIndex.from_arrays(index, names=["Rater", "Person"])
    )
    return MFRM(table[~table.index.duplicated()], max_score=K - 1, facet="rater")


def many_facets(seed: int, counts: Array, n_items: int) -> tuple[Array, ...]:
    """Labels, items and raters of a many-facet Rasch model, severities, and shifts in classes."""
    rng = np.random.default_rng(seed)
    cuts, R = np.array([-1.5, -0.5, 0.5, 1.5]), counts.size
    severity, values = rng.normal(0.0, 0.7, R), rng.normal(0.0, 1.5, n_items)
    items = np.concatenate([rng.permutation(n_items)[: int(count)] for count in counts])
    who = np.repeat(np.arange(R), counts.astype(int))

    def chances(places: Array) -> Array:
        logits = np.arange(5) * places[..., None] - np.append(0.0, np.cumsum(cuts))
        parts = np.exp(logits - logits.max(axis=-1, keepdims=True))
        return parts / parts.sum(axis=-1, keepdims=True)

    drawn = chances(values[items] - severity[who]).cumsum(axis=1)
    y = (drawn < rng.random((items.size, 1))).sum(axis=1)
    grid = np.linspace(-6.0, 6.0, 161)
    mass = np.exp(-(grid**2) / (2.0 * 1.5**2))
    expected = chances(grid - severity[:, None]) @ np.arange(5) @ (mass / mass.sum())
    return y, items, who, severity, expected - np.median(expected)
