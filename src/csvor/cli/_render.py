"""What people read: short facts in two columns, and tables that fit the terminal."""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from rich.console import Console
from rich.measure import Measurement
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from csvor._faults.spelling import harmless
from csvor._utils.spelling import format_value
from csvor._utils.words import plural, some_of
from csvor.cli._options import WITH_GAMMA

if TYPE_CHECKING:
    from csvor import CSVOR
    from csvor._tables.features import FeatureColumns
    from csvor._tables.target import Target
    from csvor.cli._options import DataOptions, ModelOptions
    from csvor.cli.input._prepare import Prepared

MOST_NAMES = 20
# Letters of a label in a table.
_WIDEST = 28
Fact = tuple[str, str]


class _Console(Console):
    def render(self, *args: Any, **kwargs: Any) -> Iterator[Segment]:
        """What is printed: data of others may hold signs that steer a terminal (N78)."""
        for text, style, control in super().render(*args, **kwargs):
            if control is None:
                text = harmless(text)
            yield Segment(text, style, control)

    def on_broken_pipe(self) -> None:
        """Leave a closed pipe to the command, which ends quietly; rich would end it itself."""
        raise BrokenPipeError


def console(*, error: bool = False) -> Console:
    """Where a report goes; colours and width follow the terminal."""
    return _Console(file=sys.stderr if error else sys.stdout, highlight=False, markup=False)


def print_facts(out: Console, facts: Sequence[Fact]) -> None:
    """Print names and what there is to say, the latter wrapped beside the former."""
    indent = max(len(name) for name, _ in facts) + 2
    for name, text in facts:
        lines = textwrap.wrap(
            text, max(out.width - indent, 20), break_long_words=False, break_on_hyphens=False
        )
        head = Text(name, style="bold").append(" " * (indent - len(name)), style="not bold")
        body = f"\n{' ' * indent}".join(lines)
        out.print(head.append(body, style="not bold"), soft_wrap=True)


def plain_table(*names: str, right: Iterable[str] = ()) -> Table:
    """A table without lines around its cells, with columns to the left and to the `right`."""
    style = "bold underline"
    table = Table(*names, box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style=style)
    for name in right:
        table.add_column(name, justify="right")
    return table


def keep_words_whole(table: Table, out: Console) -> None:
    """Give a table that is too wide columns in which no word is broken, if there is room."""
    cells = [[column.header, *column.cells] for column in table.columns]
    sizes = [[Measurement.get(out, out.options, one) for one in some] for some in cells]
    longest_words = [max(size.minimum for size in some) for some in sizes]
    longest = [max(size.maximum for size in some) for some in sizes]
    between = 2 * (len(cells) - 1)
    room = out.width - between - sum(longest_words)
    if room < 0 or sum(longest) + between <= out.width:
        return
    wanted = [most - least for most, least in zip(longest, longest_words, strict=True)]
    for n_left, j in zip(range(len(cells), 0, -1), np.argsort(wanted, kind="stable"), strict=True):
        more = min(wanted[j], room // n_left)
        table.columns[j].width = longest_words[j] + more
        room -= more


def print_table(out: Console, table: Table, above: str = "", below: str = "") -> None:
    """Print a table without blanks at the ends of its lines, between other texts."""
    with out.capture() as captured:
        out.print(table)
    lines = (f"{line.rstrip()}\n" for line in captured.get().splitlines())
    out.file.writelines([above, *lines, below])


def with_ends(texts: list[str]) -> list[str]:
    """The texts, of many the first and the last two."""
    return texts if len(texts) <= MOST_NAMES else [*texts[: MOST_NAMES - 3], "...", *texts[-2:]]


def data_facts(work: Prepared, scaling: str = "standardised") -> list[Fact]:
    """The file, the labels and the columns; `scaling` is what becomes of numbers."""
    target, features = work.target, work.features
    rows = f"{work.table.source}: {plural(work.table.n_rows, 'row')}, {target.n_rows} used"
    if target.left_out:
        codes = ", ".join(f"{n} with label {code!r}" for code, n in target.left_out.items())
        rows += f"; left out: {codes}".replace("label 'blank'", "a blank label")
    column = work.table.columns.get(target.name)
    asked = [("Question", column.title)] if column is not None and column.title else []
    facts = [("Data", rows), *asked, *label_facts(target)]
    if work.review is not None:
        facts.insert(1, ("Reviewed", work.review.summary()))
    facts += feature_facts(features, work.options, scaling)
    if work.groups is not None:
        groups = f"{work.data.groups}"
        if len(work.groups) == work.target.n_rows:  # else they are those of a sample
            groups += f" ({plural(len(np.unique(work.groups)), 'value')})"
        facts.append(("Groups", groups))
    if work.weights is not None:
        weights = f"{work.data.weight} (rescaled to mean 1)"
        facts.append(("Weights", f"{work.data.counts} (counts)" if work.data.counts else weights))
    return [*facts, *unused_facts(features, work.data)]


def label_facts(target: Target) -> list[Fact]:
    """The labels with their counts, and what orders them."""
    counts = [
        f"{format_value(label)} ({count})"
        for label, count in zip(target.classes, target.counts, strict=True)
    ]
    labels = f"{target.name}: {' < '.join(with_ends(counts))}"
    return [("Labels", labels), ("Order", target.order)]


def feature_facts(
    features: FeatureColumns, options: ModelOptions, scaling: str = "standardised"
) -> list[Fact]:
    """The columns that are used, and how."""
    facts = []
    if features.numeric:
        how = "blanks filled, " * options.impute
        if options.clip is not None:
            how += f"limited to {options.clip:g} median deviations, "
        how += scaling
        facts.append(("Numbers", f"{some_of(features.numeric, MOST_NAMES)} ({how})"))
    if features.categorical:
        sizes = {name: plural(len(texts), "value") for name, texts in features.categorical.items()}
        names = [f"{name} ({size})" for name, size in sizes.items()]
        facts.append(("Categories", some_of(names, MOST_NAMES)))
    return facts


def unused_facts(features: FeatureColumns, data: DataOptions) -> list[Fact]:
    """The columns that are not used, and why."""
    out = [f"{name} (constant)" for name in features.constant]
    out += [f"{name} (names rows)" for name in features.row_numbers]
    out += [f"{name} (--drop)" for name in dict.fromkeys(data.drop)]
    return [("Not used", some_of(out, MOST_NAMES))] if out else []


def model_fact(work: Prepared, model: CSVOR | None = None, curve: CSVOR | None = None) -> Fact:
    """The parameters of a fitted model, and who chose them; the kernel is that of `curve`.

    On rows in pieces a model is a line in what the kernel makes of them.
    """
    model = work.pipeline[-1] if model is None else model
    curve = model if curve is None else curve
    is_found = model.contamination == "auto"
    share = float(model.contamination_ if is_found else model.contamination)
    text = (
        f"C {model.C:g}, p {model.p:g}, contamination {round(share, 3):g}" + " (found)" * is_found
    )
    if model.loss != "hinge":
        text += f", {model.loss} loss"
    if model.constraints != "explicit":
        text += f", {model.constraints} constraints"
    if model.class_weight is not None:
        text += f", {_weights(model.class_weight)}"
    if curve.kernel != "linear":
        text += f", {_kernel(curve)}"
    if work.choice is not None:
        text += (
            f"; C and p chosen by {work.options.folds} folds, error {work.choice.error:.3f} "
            f"({work.choice.n_fits} fits)"
        )
    return ("Model", text)


def fitted_parameters(model: CSVOR) -> dict[str, Any]:
    """What a fit was made with and came to, for JSON."""
    epsilon = float(model.epsilon_)
    return {
        "C": model.C,
        "p": model.p,
        "contamination": float(model.contamination_),
        "epsilon": epsilon if np.isfinite(epsilon) else None,
        "gamma": float(model.gamma_) if model.kernel in WITH_GAMMA else None,
        "converged": bool(model.converged_),
        "iterations": int(model.n_iter_),
    }


def _weights(weights: str | dict[Any, float]) -> str:
    if isinstance(weights, str):
        return f"{weights} class weights"
    return "class weights " + " ".join(
        f"{format_value(label)}:{w:g}" for label, w in weights.items()
    )


def _kernel(model: CSVOR) -> str:
    gamma = model.gamma if isinstance(model.gamma, str) else f"{model.gamma:.3g}"
    text = f"{model.kernel} kernel"
    if model.kernel in WITH_GAMMA:
        text += f" (gamma {gamma})"
    return text if model.n_components is None else f"{text} on {plural(model.n_components, 'row')}"


_NUMBERS = {"row", "probability", "expected_distance", "residual"}
# What a narrow terminal goes without, first the residual.
_SPARED, _WIDE = ("residual", "direction"), 10_000


def print_suspects(out: Console, rows: dict[str, list[object]], top: int, ordered_by: str) -> None:
    """Print the first `top` of the audited rows, with a blank line above and below.

    Those of which it would say that their probability is 0.000 are left out (N67), and where the
    terminal is narrow columns that the files have too.
    """
    shown = [i for i, chance in enumerate(rows["probability"]) if f"{chance:.3f}" != "0.000"][:top]
    hidden = "expected_distance" if ordered_by == "probability" else "residual"
    rows = {name: [of[i] for i in shown] for name, of in rows.items() if name != hidden}
    short = _short([rows["given"], rows["suggested"]])
    rows |= {name: [short[label] for label in rows[name]] for name in ("given", "suggested")}
    table = _suspects_table(rows)
    for name in _SPARED:
        if Measurement.get(out, out.options.update(width=_WIDE), table).maximum > out.width:
            rows.pop(name, None)
            table = _suspects_table(rows)
    if table.rows:
        print_table(out, table, "\n", "\n")


def _suspects_table(rows: dict[str, list[object]]) -> Table:
    table = plain_table()
    for name in rows:
        numeric = name in _NUMBERS
        table.add_column(
            name, justify="right" if numeric else "left", no_wrap=numeric, overflow="fold"
        )
    for values in zip(*rows.values(), strict=True):
        cells = [_cell(name, value) for name, value in zip(rows, values, strict=True)]
        table.add_row(*cells, style=None if values[-1] else "dim")
    return table


def _short(columns: Iterable[Iterable[object]]) -> dict[object, object]:
    """Wide labels without their middle, as long as no two are then the same."""
    labels = {label for column in columns for label in column}
    short: dict[object, object] = {label: _without_middle(format_value(label)) for label in labels}
    return short if len(set(short.values())) == len(labels) else {one: one for one in labels}


def _without_middle(text: str) -> str:
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 9]}…{text[-8:]}"


def _cell(name: str, value: object) -> Text:
    if name in _NUMBERS - {"row"}:
        return Text(f"{value:.3f}")
    if name == "flagged":
        return Text("yes" if value else "")
    return Text(format_value(value))
