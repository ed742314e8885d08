"""How near fits come to exact optima, and to skordinal on real data.

    python benchmarks/agreement.py [--data DIR]

The programs that the outside solvers get are those of the tests (tests/exact_programs.py).
"""

import argparse
import os
import sys
import time
import warnings
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests"))

import numpy as np
from dirty import ROOT, markdown, versions, write_result

from csvor import CSVOR, PINSVOR
from exact_programs import (
    ordinal_optimum,
    pinball_optimum,
    pinball_value,
    random_problem,
    row_residuals,
    slack_sum_optimum,
    slack_sum_value,
)
from skordinal_peer import (
    METHODS,
    SETS,
    fit_on_its_kernel,
    fit_peer,
    in_our_terms,
    objective_in_our_terms,
    splits,
)

N_PROBLEMS = 90
TAUS = (0.02, 0.1, 0.3, 0.5, 0.9)
PAIRS = ("explicit", "implicit")
STRENGTHS = (0.1, 1.0, 10.0)


def slack_sums(method):
    """A function from a problem to the fitted model, its objective in its letters, the optimum."""
    estimator, pairs, ridge = METHODS[method]

    def run(X, codes, weights, C, n_classes, number):
        model = timed(estimator(C), X, codes, weights)
        w, b, costs = model.coef_, model.thresholds_, C * weights
        reached = slack_sum_value(w, X @ w, b, codes, costs, pairs, ridge)
        return model, reached, slack_sum_optimum(X, codes, costs, n_classes, pairs, ridge=ridge)[0]

    return run


def pinball(form):
    def run(X, codes, weights, C, n_classes, number):
        tau, costs = TAUS[number % len(TAUS)], C * weights
        model = timed(PINSVOR(C, tau=tau, form=form), X, codes, weights)
        w = model.coef_
        reached = pinball_value(w, X @ w, model.boundaries_, codes, costs, tau, C, form)
        return model, reached, pinball_optimum(X, codes, costs, n_classes, tau, C, form)

    return run


def uncapped(loss, p, **options):
    def run(X, codes, weights, C, n_classes, number):
        pairs = PAIRS[number // 6 % 2]
        asked = CSVOR(C, p=p, epsilon=np.inf, loss=loss, constraints=pairs, **options)
        model = timed(asked, X, codes, weights)
        w, costs = model.coef_, C * weights
        residuals = row_residuals(X @ w, model.thresholds_, codes, pairs, loss, p)
        least = ordinal_optimum(X, codes, costs, n_classes, pairs, loss, p)
        return model, 0.5 * w @ w + costs @ residuals, least

    return run


ROWS = {
    "SVOREX": slack_sums("SVOREX"),
    "SVORIM": slack_sums("SVORIM"),
    "REDSVM": slack_sums("REDSVM"),
    "PINSVOR, paper": pinball("paper"),
    "PINSVOR, code": pinball("code"),
    "CSVOR hinge, p=2": uncapped("hinge", 2),
    "CSVOR logistic, p=2": uncapped("logistic", 2),
    "CSVOR exponential, p=2": uncapped("exponential", 2),
    "CSVOR hinge, p=1": uncapped("hinge", 1),
    "CSVOR hinge, p=1, tol=1e-8": uncapped("hinge", 1, tol=1e-8, max_iter=2000),
}


def timed(model, *data):
    start = time.perf_counter()
    model.fit(*data)
    model.seconds = time.perf_counter() - start
    return model


def gaps_to_optimum():
    table = []
    for name, run in ROWS.items():
        found = [run(*random_problem(number), number) for number in range(N_PROBLEMS)]
        gaps = np.array([reached / least - 1.0 for _, reached, least in found])
        models = [model for model, *_ in found]
        table.append(
            [
                name,
                f"{np.median(np.abs(gaps)):.1e}",
                f"{np.abs(gaps).max():.1e}",
                f"{np.median([model.n_iter_ for model in models]):.0f}",
                f"{1e3 * np.median([model.seconds for model in models]):.0f}",
            ]
        )
    return markdown(["method", "median gap", "worst gap", "iterations", "ms a fit"], table)


def beside_skordinal(folder):
    table = []
    for name in SETS:
        parts = list(splits(folder, name))
        for method, (estimator, *_) in METHODS.items():
            above, same, same_kernel = [], [], []
            for A, codes, B in parts:
                for C in STRENGTHS:
                    peer = fit_peer(method, C, A, codes)
                    model = estimator(C).fit(A, codes)
                    mine = model.coef_, model.thresholds_
                    ours = objective_in_our_terms(method, C, *mine, A, codes)
                    theirs = objective_in_our_terms(method, C, *in_our_terms(peer, A), A, codes)
                    above.append(theirs / ours - 1.0)
                    same.append(model.predict(B) == peer.predict(B))
                    finer = fit_peer(method, C, A, codes, tol=1e-5)
                    _, _, classes = fit_on_its_kernel(method, C, A, codes, B)
                    same_kernel.append(classes == finer.predict(B))
            rows = ", ".join(sorted({f"{A.shape[0]} x {A.shape[1]}" for A, *_ in parts}))
            table.append(
                [
                    name,
                    rows,
                    str(len(parts)),
                    method,
                    f"{min(above):.1e}",
                    f"{np.median(above):.1e}",
                    f"{max(above):.1e}",
                    f"{100 * np.mean(np.concatenate(same)):.2f}",
                    f"{100 * np.mean(np.concatenate(same_kernel)):.2f}",
                ]
            )
    head = ["set", "rows x columns", "splits", "method", "least", "median", "most", "same %"]
    return markdown([*head, "on its kernel %"], table)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder of the sets (else CSVOR_DATA)")
    asked = parser.parse_args()
    folder = asked.data or (ROOT / os.environ.get("CSVOR_DATA", "../shared/data")).resolve()
    if not folder.is_dir():
        parser.error(f"the data are not in {folder}: name their folder with --data")
    # A large tau draws the boundaries of PINSVOR together, and the fit says so.
    warnings.filterwarnings("ignore", "All (inner )?boundaries coincide")
    text = f"""# Relative gap of the objective to that of Clarabel

{N_PROBLEMS} random problems of 2 to 7 classes, C from 1e-2 to 1e3, default settings. Median
and worst of the absolute values over the problems; iterations and milliseconds are medians.

{gaps_to_optimum()}

# Beside skordinal

C = {", ".join(f"{C:g}" for C in STRENGTHS)}. How far the objective at skordinal's solution lies
above ours, as a share of it; and the share of test rows that get one class from both: as they come,
and where ours has its kernel (0.001 on the diagonal) and skordinal a tolerance of 1e-5, not 1e-3.

{beside_skordinal(folder)}

`python benchmarks/agreement.py` with
{versions("csvor", "clarabel", "cvxpy", "skordinal", "scikit-learn")}.
"""
    write_result("agreement", text)


if __name__ == "__main__":
    main()
