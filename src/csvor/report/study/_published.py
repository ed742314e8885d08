"""Where do results agree with the published ones?"""

from __future__ import annotations

from importlib.resources import files
from io import StringIO

import numpy as np
import pandas as pd

from csvor.report.study._results import check_results
from csvor.report.study._tables import ReportTable, cells, number

SOURCE = (
    "Xiang et al., Robust Capped lp-Norm Support Vector Ordinal Regression, Neurocomputing, "
    "arXiv 2404.16616"
)
TOLERANCE = 0.03
WIDTH = 2.0
CRITERION = f"|ours - published| <= {WIDTH:g} standard errors + {TOLERANCE:g}"
IN_WORDS = f"within {WIDTH:g} standard errors and {TOLERANCE:g}"
_BY = ["dataset", "level", "method"]


def published_results() -> pd.DataFrame:
    """Return the published mean zero-one errors of the paper.

    Returns
    -------
    published : DataFrame
        420 rows with the columns dataset, level (percent), method, mze_mean, mze_std and
        n_splits, from both result tables of Xiang et al., arXiv 2404.16616.

    Examples
    --------
    >>> from csvor.report import published_results
    >>> table = published_results()
    >>> table[table.method == "CSVOR"].groupby("level").mze_mean.mean().round(3).to_dict()
    {0: 0.311, 1: 0.329, 5: 0.351, 10: 0.388, 15: 0.406, 20: 0.432}
    """
    text = files("csvor.report").joinpath("published.csv").read_text(encoding="utf-8")
    return pd.read_csv(StringIO(text), comment="#")


def compare_published(results: pd.DataFrame) -> pd.DataFrame:
    """Put the cells of a study beside the published ones.

    ::

        within  if  |ours - published| <= 2 sqrt(s^2 / n + S^2 / N) + 0.03

    for our standard deviation s over n splits and the published S over N. A single split has no
    s; S stands in for it.

    Parameters
    ----------
    results : DataFrame
        As `write_report` takes them.

    Returns
    -------
    compared : DataFrame
        One row per data set, level and method that both have, with the columns dataset, level,
        method, ours, ours_std, ours_n, published, published_std, published_n, difference,
        allowed and within.

    Raises
    ------
    TypeError, ValueError
        As `write_report`.

    Examples
    --------
    >>> import pandas as pd
    >>> from csvor.report import compare_published
    >>> columns = ["dataset", "level", "split", "method", "status", "mze"]
    >>> results = pd.DataFrame([("tae", 0, 0, "CSVOR", "ok", 0.9)], columns=columns)
    >>> compare_published(results)[["published", "within"]].to_dict("records")
    [{'published': 0.432, 'within': False}]
    """
    ours = check_results(results).summary("mze")[[*_BY, "mean", "std", "n"]]
    ours = ours[ours.n > 0].rename(columns={"mean": "ours", "std": "ours_std", "n": "ours_n"})
    theirs = published_results().rename(
        columns={"mze_mean": "published", "mze_std": "published_std", "n_splits": "published_n"}
    )
    table = ours.merge(theirs, on=_BY, how="inner", sort=False).reset_index(drop=True)
    spread = table.ours_std.fillna(table.published_std)
    error = np.sqrt(spread**2 / table.ours_n + table.published_std**2 / table.published_n)
    table["difference"] = table.ours - table.published
    table["allowed"] = WIDTH * error + TOLERANCE
    # A hair wider: a difference that is allowed exactly is not refused for its last bit.
    table["within"] = table.difference.abs() <= table.allowed + 1e-12
    return table


def agreement_table(compared: pd.DataFrame) -> ReportTable:
    """How many cells of each method agree with the published ones."""
    grouped = compared.groupby("method", sort=False).within
    counts = pd.DataFrame({"compared": grouped.size(), "within": grouped.sum()}).reset_index()
    counts["share"] = counts.within / counts.compared
    rows = [
        cells(method, n, within, f"{share:.0%}")
        for method, n, within, share in counts.itertuples(index=False)
    ]
    return ReportTable(
        "published_agreement",
        f"Cells (data set and level) that agree with the published mean: {CRITERION}. Source: "
        f"{SOURCE}.",
        ("method", "compared", "agree", "share"),
        tuple(rows),
        counts,
    )


def disagreement_table(compared: pd.DataFrame) -> ReportTable:
    """Every cell that does not agree; its numbers hold all that were compared."""
    rows = [
        cells(
            *(r[name] for name in _BY),
            f"{number(r['ours'])} ± {number(r['ours_std'])}",
            f"{number(r['published'])} ± {number(r['published_std'])}",
            f"{r['difference']:+.3f}",
            number(r["allowed"]),
        )
        for r in compared[~compared.within].to_dict("records")
    ]
    return ReportTable(
        "published_cells",
        f"Every cell that does not agree with the published mean; criterion: {CRITERION}.",
        ("data set", "%", "method", "ours", "published", "difference", "allowed"),
        tuple(rows),
        compared,
        n_names=3,
    )
