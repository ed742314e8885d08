"""The tables of `real_errors.py`; of cleanlab's options the best of each line, with hindsight."""

from collections.abc import Callable, Iterable

import numpy as np
import pandas as pd
from dirty import markdown

CLOSE = 0.01
KEYS = ["name", "kind", "score"]


def tabulated(records: list[dict], own: str) -> pd.DataFrame:
    """A line for each set, kind and score: means over the draws, and the best of each group."""
    groups: dict[tuple, list[dict]] = {}
    for record in records:
        groups.setdefault(tuple(record[key] for key in KEYS), []).append(record)
    truth = {(r["name"], r["kind"]): r for r in records if "wrong" in r}
    lines = [
        {**dict(zip(KEYS, key, strict=True)), **_line(draws, truth, own)}
        for key, draws in groups.items()
    ]
    return pd.DataFrame(lines).set_index(KEYS)


def _line(draws: list[dict], truth: dict, own: str) -> dict:
    first = draws[0]
    known = truth[first["name"], first["kind"]]
    wrong = float(np.mean([d.get("wrong", known["wrong"]) for d in draws]))
    line = {"wrong": wrong, "rows": known["rows"], "levels": known["levels"], "draws": len(draws)}
    n_wrong = len(draws) * wrong * known["rows"]
    if first["score"] != own:
        line |= _others(draws, n_wrong, wrong)
    audits = pd.DataFrame([draw["csvor"] for draw in draws])
    inside = audits["low"].sub(1e-9).le(wrong) & audits["high"].add(1e-9).ge(wrong)
    mean = audits[["precision", "share", "low", "high", "named", "promised", "right"]].mean()
    conclusive = audits["conclusive"].mean()
    return line | {
        **{f"csvor {name}": value for name, value in mean.items()},
        "covered": int(inside.sum()),
        "ranked by": audits["ranked by"].mode()[0],
        "conclusive": conclusive,
        "csvor kept": _kept(mean["named"], mean["right"], wrong * known["rows"]),
    }


def _others(draws: list[dict], n_wrong: float, wrong: float) -> dict:
    ranked = pd.DataFrame([draw["ranked"] for draw in draws]).mean()
    line: dict = {"residual": ranked["residual"]}
    for who in ("cleanlab", "nessie"):
        options = ranked[ranked.index.str.startswith(who)]
        if len(options) and options.notna().all():
            line |= {who: options.max(), f"{who} by": options.idxmax().removeprefix(f"{who} ")}
    named = {
        name: np.sum([draw["named"][name] for draw in draws], axis=0) for name in draws[0]["named"]
    }
    if named:
        best = max(named, key=lambda name: (_f1(*named[name], n_wrong), -named[name][0]))
        line |= {"filter": best, "cleanlab kept": _kept(*named[best], n_wrong)}
        line["cleanlab named"], line["cleanlab right"] = named[best] / len(draws)
        counts = pd.DataFrame([draw["counted"] for draw in draws]).mean()
        line["cleanlab share"] = counts.iloc[(counts - wrong).abs().argmin()]
    return line


def _f1(named: float, right: float, n_wrong: float) -> float:
    return 2.0 * right / (named + n_wrong) if n_wrong else 0.0


def _kept(named: float, right: float, n_wrong: float) -> str:
    """Precision and recall."""
    if not n_wrong:
        return f"{named:.0f} rows"
    return f"{right / named:.2f}, {right / n_wrong:.2f}" if named else "–, 0"


def _number(value: object) -> str:
    return f"{value:.3f}" if isinstance(value, float) and value == value else "–"


def _each(lines: pd.DataFrame, show: Callable[[pd.Series], Iterable[object]]) -> list[list[object]]:
    return [[*key, *show(line)] for key, line in lines.iterrows()]  # type: ignore[misc]


def real_precision(lines: pd.DataFrame) -> str:
    def show(m):
        cleanlab = f"{_number(m['cleanlab'])} ({m['cleanlab by']})" if m["cleanlab"] > 0 else "–"
        how = f" ({m['ranked by']})"
        return [
            _number(m["residual"]),
            cleanlab,
            _number(m["nessie"]),
            _number(m["csvor precision"]) + how,
        ]

    head = ["set", "score", "residual", "cleanlab's best", "nessie's best", "csvor"]
    return markdown(head, _each(lines.droplevel("kind"), show))


def real_answers(lines: pd.DataFrame) -> str:
    def show(m):
        share = f"{m['csvor share']:.3f} ({m['csvor low']:.3f} to {m['csvor high']:.3f})"
        rows = f"{m['csvor named']:.0f} / {m['csvor promised']:.0f} / {m['csvor right']:.0f}"
        kept = m["cleanlab kept"] if isinstance(m["cleanlab kept"], str) else "–"
        by = f" ({m['filter']})" if kept != "–" else ""
        said = share if m["conclusive"] else f"nothing can be said; {share}"
        return [
            f"{m['wrong']:.3f}",
            said,
            _number(m["cleanlab share"]),
            rows,
            m["csvor kept"],
            kept + by,
        ]

    head = [
        "set",
        "score",
        "wrong",
        "csvor says",
        "cleanlab counts",
        "csvor: flagged / promised / right",
    ]
    return markdown(
        [*head, "csvor: precision, recall", "cleanlab's best filter"],
        _each(lines.droplevel("kind"), show),
    )


def planted(lines: pd.DataFrame, own: str, show: Callable[[pd.Series], str], only: str) -> str:
    """A row for each set and kind, a column for each score."""
    scores = list(dict.fromkeys(lines.index.get_level_values("score")))
    table = []
    for (name, kind), part in lines.groupby(level=["name", "kind"], sort=False):
        part = part.droplevel(["name", "kind"])
        first = part.iloc[0]
        cells = [show(part.loc[score]) if score in part.index else "–" for score in scores]
        table.append(
            [name, kind, f"{first['rows']} x {first['draws']}", float(first["wrong"]), *cells]
        )
    return markdown(["set", "kind", "rows x draws", "wrong", *scores], table) + f"\n\n{only}"


def three(m: pd.Series) -> str:
    if not m.get("residual", np.nan) >= 0.0:
        return _number(m["csvor precision"])
    best = f"{m['cleanlab']:.3f}" if m["cleanlab"] == m["cleanlab"] else "–"
    return f"{m['residual']:.3f} / {best} / **{m['csvor precision']:.3f}**"


def flags(m: pd.Series) -> str:
    kept = m.get("cleanlab kept")
    return f"{kept if isinstance(kept, str) else '–'} / **{m['csvor kept']}**"


def share(m: pd.Series) -> str:
    ends = f"{m['csvor share']:.3f} ({m['csvor low']:.3f} to {m['csvor high']:.3f})"
    count = f"; {m['cleanlab share']:.2f}" if m.get("cleanlab share", np.nan) >= 0.0 else ""
    return f"{ends}, {m['covered']} of {m['draws']}{count}"


def summary(lines: pd.DataFrame, own: str) -> str:
    """Who is above whom on the same scores, and whether the intervals hold."""
    rows = []
    same = lines[lines.index.get_level_values("score") != own]
    kinds = lines.index.get_level_values("kind")
    for name, chosen in (("people's errors", kinds == "real"), ("planted", kinds != "real")):
        part = same[chosen[lines.index.get_level_values("score") != own]]
        part = part[part["wrong"] > 0]
        for rival in ("residual", "cleanlab", "nessie"):
            pairs = part[[rival, "csvor precision"]].dropna()
            ahead = pairs["csvor precision"] - pairs[rival]
            if ahead.empty:
                continue
            worst = ahead.idxmin()
            rows.append(
                [
                    name,
                    rival,
                    len(pairs),
                    int((ahead > 0).sum()),
                    int((ahead >= -CLOSE).sum()),
                    float(pairs[rival].mean()),
                    float(pairs["csvor precision"].mean()),
                    f"{ahead.min():+.3f} ({', '.join(worst)})",
                ]
            )
    head = ["errors", "beside", "comparisons", "csvor above", "not more than .01 below", "its mean"]
    return markdown([*head, "csvor's mean", "csvor's worst"], rows)


def coverage(lines: pd.DataFrame, own: str) -> str:
    """Of the planted sets, by set, on csvor's models and on scores of others."""
    table = []
    lines = lines[lines.index.get_level_values("kind") != "real"]
    mine = lines.index.get_level_values("score") == own
    for name in (*lines.index.unique("name"), "all"):
        row = [name]
        for which in (mine, ~mine):
            there = lines[which] if name == "all" else lines[which].loc[[name]]
            for uniform in (True, False):
                kind = there.index.get_level_values("kind").isin(["clean", "uniform"])
                some = there[kind == uniform]
                row.append(f"{some['covered'].sum()} of {some['draws'].sum()}")
        table.append(row)
    head = ["set", "own: clean, uniform", "own: other kinds", "scores: clean, uniform"]
    return markdown([*head, "scores: other kinds"], table)


def report(records: list[dict], own: str, packages: str) -> str:
    """All tables."""
    lines = tabulated(records, own)
    kinds = lines.index.get_level_values("kind")
    real, other = lines[kinds == "real"], lines[kinds != "real"]
    spoilt = other[other["wrong"] > 0]
    parts = [
        "# Labels that people got wrong, and planted errors",
        "`benchmarks/README.md` says what was measured; it was written before the run. Every\n"
        "layer gets the same scores out of fold. Of cleanlab's options the best of each line is\n"
        "shown, chosen with hindsight in its favour; csvor has no options.",
        "## On the same scores: who is above whom",
        summary(lines, own),
        "## Intervals: in how many draws they cover the share that was planted",
        coverage(lines, own),
    ]
    if len(real):
        facts = real.groupby(level="name", sort=False).first()
        facts = [[n, m["rows"], m["levels"], f"{m['wrong']:.1%}"] for n, m in facts.iterrows()]
        parts += [
            "## People's errors: the sets",
            markdown(["set", "rows", "levels", "wrong"], facts),
            "## People's errors: average precision",
            real_precision(real),
            "## People's errors: what is said and what is flagged",
            real_answers(real),
        ]
    if len(spoilt):
        parts += [
            "## Planted: average precision",
            planted(
                spoilt, own, three, "Residual / cleanlab's best / csvor; csvor's models: csvor."
            ),
            "## Planted: precision and recall of what is flagged",
            planted(other, own, flags, "cleanlab's best filter by F1 / csvor; rows on clean sets."),
            "## Planted: share",
            planted(
                other, own, share, "csvor's, its interval, draws covered; cleanlab's nearest count."
            ),
        ]
    return "\n\n".join([*parts, f"`python benchmarks/real_errors.py` with\n{packages}."])
