"""Fits whose outcome is kept in a file, so that another way to compute them can be held to it.

``python tests/golden.py write`` fits all cases and keeps what was found; ``check`` fits them again
and prints how far it differs. Which tree is fitted is what PYTHONPATH says.
"""

import argparse
import hashlib
import json
import sys
import warnings
from pathlib import Path

import numpy as np

import csvor

KEPT = Path(__file__).with_name("golden_fits.json")
# Iterations whose objective is kept, and coefficients.
ITERATIONS, COEFFICIENTS = 20, 10
# Iterations count as firm as long as noise of so much in the features moves none by FIRM.
NOISE, FIRM = 1e-13, 1e-9
OBJECTIVE, NON_CONVEX = 1e-6, 0.01


def rows(seed, n=200, d=6, k=4, wrong=0.15, weighted=False, without=None):
    """Features, labels 1..k of which some are drawn at random, and weights or None."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d))
    w = rng.normal(size=d)
    score = X @ w / np.linalg.norm(w) + 0.3 * rng.normal(size=n)
    y = np.digitize(score, np.quantile(score, np.arange(1, k) / k)) + 1
    some = rng.random(n) < wrong
    y[some] = rng.integers(1, k + 1, some.sum())
    weights = rng.choice([0.25, 0.5, 1.0, 3.0], n) if weighted else None
    if without is not None:
        kept = y != without
        X, y = X[kept], y[kept]
        weights = None if weights is None else weights[kept]
    return X, y, weights


def cases():
    """Each a name, an estimator, its parameters and the arguments of `rows`."""
    seed = 0

    def case(name, estimator="CSVOR", data=None, **params):
        nonlocal seed
        seed += 1
        return name, estimator, params, {"seed": seed, **(data or {})}

    for p in (0.5, 0.7, 1.0, 1.5, 2.0):
        for epsilon in (1.0, 1.5, 2.0, 4.0, np.inf):
            constraints = "implicit" if epsilon in (1.5, 4.0) else "explicit"
            yield case(f"p {p}, cap {epsilon}", p=p, epsilon=epsilon, constraints=constraints)
    for share in (0.0, 0.1, 0.2):
        yield case(f"share {share}", contamination=share)
        yield case(f"share {share}, smooth", contamination=share, p=1.5, C=10.0)
    for loss in ("logistic", "exponential"):
        yield case(f"{loss}, open", loss=loss, epsilon=np.inf)
        yield case(f"{loss}, capped", loss=loss, epsilon=4.0, p=1.5, constraints="implicit")
        yield case(f"{loss}, share", loss=loss, contamination=0.1)
    for p, epsilon in ((1.0, 2.0), (1.5, np.inf), (2.0, 1.5)):
        form = {"solver": "alternating", "max_iter": 30}
        yield case(f"alternating, p {p}", p=p, epsilon=epsilon, **form)
    for strength in (1e-2, 1e-1, 1e1, 1e2, 1e3):
        yield case(f"C {strength}", C=strength, p=1.5, epsilon=4.0)
    yield case("C 1000, kinks", C=1e3, epsilon=np.inf, data={"n": 150, "d": 3})
    for k in (2, 3, 7):
        for constraints in ("explicit", "implicit"):
            form = {"epsilon": 2.0, "p": 1.5, "constraints": constraints}
            yield case(f"{k} classes, {constraints}", data={"k": k}, **form)
    yield case("weights", epsilon=2.0, data={"weighted": True})
    yield case("weights, share", contamination=0.1, data={"weighted": True})
    missing = {"k": 5, "without": 3, "weighted": True}
    yield case("missing class", classes=[1, 2, 3, 4, 5], epsilon=4.0, data=missing)
    yield case("150 x 13", epsilon=2.0, data={"n": 150, "d": 13, "k": 5})
    yield case("150 x 13, share", data={"n": 150, "d": 13, "k": 5})
    yield case("20 columns", epsilon=4.0, data={"n": 300, "d": 20})
    yield case("90 columns", epsilon=4.0, data={"n": 300, "d": 90})
    yield case("wide", p=1.5, epsilon=np.inf, data={"n": 40, "d": 90, "k": 3})
    yield case("wide, capped", epsilon=4.0, C=0.1, data={"n": 40, "d": 90, "k": 3})
    yield case("rbf", kernel="rbf", p=1.5, epsilon=4.0, data={"n": 120})
    yield case("rbf, landmarks", kernel="rbf", n_components=25, epsilon=2.0, random_state=5)
    yield case("gram", kernel="precomputed", p=2.0, epsilon=4.0, data={"n": 100})
    yield case("many, capped", epsilon=4.0, data={"n": 20_000, "d": 5})
    yield case("many, smooth", p=1.5, epsilon=np.inf, data={"n": 20_000, "d": 5, "weighted": True})
    yield case("many, share", contamination=0.1, data={"n": 20_000, "d": 5})
    for estimator in ("SVOREX", "SVORIM", "REDSVM"):
        yield case(estimator, estimator, C=1.0)
        yield case(f"{estimator}, weights", estimator, C=10.0, data={"k": 5, "weighted": True})
    yield case("SVORIM, rbf", "SVORIM", kernel="rbf", data={"n": 100, "k": 3})
    yield case("SVOREX, many", "SVOREX", data={"n": 20_000, "d": 4})
    for form in ("paper", "code"):
        yield case(f"PINSVOR, {form}", "PINSVOR", form=form, tau=0.2, data={"n": 120})


def fit(estimator, params, data, noise=0.0):
    """The fitted estimator."""
    X, y, weights = rows(**data)
    if noise:
        X = X * (1.0 + noise * np.random.default_rng(1).uniform(-1, 1, X.shape))
    if params.get("kernel") == "precomputed":
        X = (1.0 + X @ X.T / X.shape[1]) ** 2
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of iterations and classes, which cases run out of
        return getattr(csvor, estimator)(**params).fit(X, y, sample_weight=weights)


def outcome(model):
    """What is kept of a fit."""
    coef = model.coef_ if hasattr(model, "coef_") else model.dual_coef_
    flags = model.outliers_
    return {
        "objective": float(model.objective_),
        "history": model.objective_history_[:ITERATIONS].tolist(),
        "coef": coef[:COEFFICIENTS].tolist(),
        "thresholds": model.thresholds_.tolist(),
        "epsilon": float(getattr(model, "epsilon_", np.inf)),
        "flagged": int(flags.sum()),
        "flags": hashlib.sha256(np.packbits(flags).tobytes()).hexdigest()[:12],
        "n_iter": int(model.n_iter_),
    }


def is_trimmed(estimator, params):
    """Whether the fit finds its cap itself."""
    found = params.get("epsilon", "auto") == "auto"
    return estimator == "CSVOR" and found and params.get("contamination", 0.1) > 0.0


def differences(found, kept):
    """How far a fit is from the one that is kept, by what is compared."""
    size = max(map(abs, kept["coef"] + kept["thresholds"]))
    pairs = zip(found["coef"] + found["thresholds"], kept["coef"] + kept["thresholds"], strict=True)
    history = np.array([*zip(found["history"], kept["history"], strict=False)])
    apart = np.abs(history[:, 0] / history[:, 1] - 1.0)
    return {
        "objective": found["objective"] / kept["objective"] - 1.0,
        "history": float(apart.max()),
        "firm history": float(apart[: kept["firm"]].max(initial=0.0)),
        "coef": max(abs(a - b) for a, b in pairs) / size,
        "flags": found["flags"] == kept["flags"],
    }


def objective_differs(kept, apart):
    """Below p = 1 an end may be another one; a case with a cap of its own is not judged."""
    if kept["trimmed"]:
        return False
    return apart > NON_CONVEX if kept["p"] < 1.0 else abs(apart) > OBJECTIVE


def firm_iterations(history, noisy):
    """Number of leading iterations that noise leaves where they are."""
    n = min(len(history), len(noisy))
    moved = np.abs(np.array(noisy[:n]) / np.array(history[:n]) - 1.0) > FIRM
    return int(moved.argmax()) if moved.any() else n


def write(path):
    """Keep the outcome of all cases; a case that noise carries elsewhere is not fit for it."""
    kept = {}
    for name, estimator, params, data in cases():
        found = outcome(fit(estimator, params, data))
        noisy = outcome(fit(estimator, params, data, NOISE))
        found["trimmed"] = is_trimmed(estimator, params)
        found["p"] = params.get("p", 1.0)
        found["rows"] = data.get("n", 200)
        found["firm"] = firm_iterations(found["history"], noisy["history"])
        if objective_differs(found, noisy["objective"] / found["objective"] - 1.0):
            raise SystemExit(f"{name}: the objective depends on rounding, give it other data")
        kept[name] = found
    lines = (f"{json.dumps(name)}: {json.dumps(found)}" for name, found in kept.items())
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def check(path, histories):
    """Print the differences; 1 where one is too large."""
    kept = json.loads(path.read_text(encoding="utf-8"))
    failed = 0
    print(f"{'':26}{'objective':>11}{'history':>10}{'firm':>10}{'coef':>10}  flags  iterations")
    for name, estimator, params, data in cases():
        found = outcome(fit(estimator, params, data))
        apart = differences(found, kept[name])
        wrong = objective_differs(kept[name], apart["objective"])
        off = apart["firm history"] > FIRM and not kept[name]["trimmed"]
        failed += wrong or (histories and off)
        print(
            f"{name:26}{apart['objective']:+11.1e}{apart['history']:10.1e}"
            f"{apart['firm history']:10.1e}{apart['coef']:10.1e}"
            f"  {'same ' if apart['flags'] else 'other'}"
            f"  {found['n_iter']:3d} ({kept[name]['n_iter']})"
            f"{'  trimmed' * kept[name]['trimmed']}{'  OBJECTIVE' * wrong}{'  HISTORY' * off}"
        )
    print(f"{failed} of {len(kept)} differ")
    return int(failed > 0)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["write", "check"])
    parser.add_argument("--out", type=Path, default=KEPT, help="the file that is written or read")
    parser.add_argument("--histories", action="store_true", help="judge histories too")
    given = parser.parse_args()
    sys.exit(write(given.out) if given.task == "write" else check(given.out, given.histories))
