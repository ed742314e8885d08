"""What the pictures hold: lines, places, words and looks; not their pixels."""

import os
import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure

from csvor import CSVOR, OrdinalRegression, plots
from csvor.audit import RaterTable
from csvor.methods import METHODS
from csvor.stats import compare
from problems import N27, N28


def axes():
    return Figure(layout="constrained").subplots()


def canvas():
    return Figure(layout="constrained")


def words(ax):
    return [text.get_text() for text in ax.texts]


def lines(ax, gid):
    return [line for line in ax.lines if line.get_gid() == gid]


def legend(figure):
    return [text.get_text() for text in figure.legends[0].get_texts()]


def luminance(colour):
    """Relative luminance of sRGB (WCAG 2)."""
    linear = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in to_rgb(colour)]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


# How a method looks.


def test_each_method_of_the_registry_has_a_look_of_its_own():
    looks = [plots.method_style(name) for name in METHODS]
    assert set(plots.COLOURS) == set(METHODS)
    assert len({look.colour for look in looks}) == len(METHODS)
    # Without colour too: neither marker nor line is used twice.
    assert len({look.marker for look in looks}) == len(METHODS)
    assert len({look.line for look in looks}) == len(METHODS)
    for look in looks:  # white paper has 1.05
        assert 1.05 / (luminance(look.colour) + 0.05) > 2.0


def test_a_new_method_looks_the_same_each_time_and_like_no_other():
    known = {(look.colour, look.marker) for look in map(plots.method_style, METHODS)}
    for name in ("MORD", "my method", "CSVOR (logistic)", ""):
        look = plots.method_style(name)
        assert look == plots.method_style(name)
        assert (look.colour, look.marker) not in known


def test_a_method_has_one_colour_in_all_pictures():
    ranks = plots.critical_difference({"CSVOR": 1.0, "POM": 2.0}, ax=axes())
    levels = plots.level_curves({"a": pd.DataFrame({"POM": [0.1, 0.2]})}, figure=canvas())
    points = plots.projection_plot([[0, 0], [1, 2]], [1, 2], directions={"POM": [1, 1]}, ax=axes())
    drawn = [lines(ranks, "method")[1], levels.axes[0].lines[0], lines(points, "direction")[0]]
    assert {line.get_color() for line in drawn} == {plots.COLOURS["POM"]}


def test_methods_of_one_picture_differ_in_colour():
    names = ["CSVOR", "SVOREX", "SVORIM", "logistic regression"]
    assert plots.method_style(names[3]).colour == plots.COLOURS["SVORIM"]
    errors = pd.DataFrame({name: [0.1, 0.2] for name in names}, index=[0, 10])
    display = plots.RobustnessDisplay(errors).plot(axes())
    colours = [line.get_color() for line in display.lines_]
    assert colours[:3] == [plots.COLOURS[name] for name in names[:3]]
    assert len(set(colours)) == 4
    # Of several panels each method has one colour, which the legend shows.
    pages = {"a": errors[["SVORIM"]], "b": errors[names[3:]]}
    figure = plots.level_curves(pages, figure=canvas())
    keys = [line.get_color() for line in figure.legends[0].get_lines()]
    assert keys == [panel.lines[0].get_color() for panel in figure.axes]
    assert len(set(keys)) == 2


# As the one of notebooks: it is loaded with the first figure, and switches to interactive mode.
NOTEBOOK = """
import matplotlib
from matplotlib.backends.backend_agg import FigureCanvas, FigureManagerBase as FigureManager
matplotlib.interactive(True)
"""


def test_the_first_picture_of_a_notebook_hides_no_later_one(tmp_path):
    (tmp_path / "as_in_notebooks.py").write_text(NOTEBOOK)
    code = (
        "import matplotlib, csvor.plots\n"
        "assert not matplotlib.is_interactive()\n"
        "csvor.plots.critical_difference({'A': 1.0, 'B': 2.0})\n"
        "assert matplotlib.is_interactive()\n"
    )
    env = {**os.environ, "MPLBACKEND": "module://as_in_notebooks"}
    env["PYTHONPATH"] = os.pathsep.join([str(tmp_path), *sys.path])
    subprocess.run([sys.executable, "-c", code], check=True, env=env)


def test_settings_of_matplotlib_are_left_alone():
    before = dict(mpl.rcParams)
    plots.critical_difference({"A": 1.0, "B": 2.0}, ax=axes())
    plots.loss_plot(figure=canvas())
    with pytest.raises(ValueError, match="empty"):
        plots.level_curves({})
    assert dict(mpl.rcParams) == before


def test_without_matplotlib_the_remedy_is_named():
    code = "import sys; sys.modules['matplotlib'] = None; import csvor.plots"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert found.returncode == 1
    assert "ImportError: csvor.plots draws with matplotlib" in found.stderr
    assert "pip install 'csvor[plots]'" in found.stderr


# Ranks.


def test_n27_the_axis_says_which_side_is_better_and_the_ranks_are_printed():
    for table, better in ((N27, "lower"), (1.0 - N27, "higher")):
        found = compare(table, better=better)
        ax = plots.critical_difference(
            found.ranks.average,
            found.critical_difference,
            groups=found.groups,
            n_cases=6,
            ax=axes(),
        )
        texts = words(ax)
        assert {
            "A  1.00",
            "B  2.00",
            "3.00  C",
            "← better",
            "worse →",
            "CD = 1.35 (Nemenyi, 5 %)",
        } <= set(texts)
        assert "average rank over 6 cases" in texts
        left, right = (ax.texts[texts.index(t)].get_position()[0] for t in ("← better", "worse →"))
        assert left < right
        assert [line.get_xdata()[0] for line in lines(ax, "method")] == [1.0, 2.0, 3.0]


def test_n28_equal_methods_are_joined_by_a_bar_and_the_ruler_is_to_scale():
    found = compare(N28, better="higher")
    cd = found.critical_difference
    ax = plots.critical_difference(found.ranks.average, cd, groups=found.groups, ax=axes())
    assert {"A  1.50", "B  1.50"} <= set(words(ax))
    (bar,) = lines(ax, "group")
    low, high = bar.get_xdata()
    assert low < 1.5 < high < 1.6
    (ruler,) = lines(ax, "cd")
    assert np.ptp(ruler.get_xdata()) == pytest.approx(1.353, abs=5e-4)
    # Names lie below each other and none on another.
    places = {text.get_position() for text in ax.texts}
    assert len(places) == len(ax.texts)


def test_too_few_cases_draw_ranks_without_ruler():
    found = compare(N28.head(3), better="higher")
    ax = plots.critical_difference(found.ranks.average, found.critical_difference, ax=axes())
    assert not lines(ax, "cd")
    assert not lines(ax, "group")
    assert not any("CD" in text for text in words(ax))
    assert len(lines(ax, "method")) == 3


def test_wrong_ranks_are_refused():
    with pytest.raises(ValueError, match="ranks is empty"):
        plots.critical_difference({})
    with pytest.raises(ValueError, match=r"rank of B, 3\.0, does not lie in 1\.\.2"):
        plots.critical_difference({"A": 1.0, "B": 3.0})
    with pytest.raises(ValueError, match="names 'X', which has no rank"):
        plots.critical_difference({"A": 1.0, "B": 2.0}, groups=[("A", "X")])


def extents(ax):
    """The boxes of all words in pixels, and of the figure."""
    ax.figure.canvas.draw()
    return [text.get_window_extent() for text in ax.texts], ax.figure.bbox


@pytest.mark.parametrize("letters", [4, 40])
@pytest.mark.parametrize("k", [2, 3, 4, 7, 20, 21])
def test_n49_long_names_stand_beside_each_other_and_leave_the_ranks_their_place(k, letters, rng):
    names = [f"{j:02d} {'proportional odds and hinge losses too'}"[:letters] for j in range(k)]
    table = pd.DataFrame(rng.normal(size=(10, k)) + np.linspace(0, 2, k), columns=names)
    found = compare(table, better="lower")
    told = {"cd": found.critical_difference, "groups": found.groups, "test": found.post_hoc}
    size = plots.critical_difference_size(found.ranks.average, **told)
    ax = Figure(figsize=size).add_axes((0, 0, 1, 1))
    plots.critical_difference(found.ranks.average, **told, n_cases=10, ax=ax)
    assert sum(name in text for name in names for text in words(ax)) == k
    boxes, paper = extents(ax)
    for i, box in enumerate(boxes):
        assert paper.x0 <= box.x0 and box.x1 <= paper.x1, ax.texts[i].get_text()
        assert paper.y0 <= box.y0 and box.y1 <= paper.y1
        assert not any(box.overlaps(other) for other in boxes[:i]), ax.texts[i].get_text()
    (axis,) = lines(ax, "axis")
    across = axis.get_window_extent().width / ax.figure.dpi
    assert across >= max(3.3, 0.25 * k)
    if k > 2:
        assert f"CD = {found.critical_difference:.2f} (Nemenyi, 5 %)" in words(ax)


def test_n49_a_new_figure_is_as_wide_as_the_names_and_a_small_one_keeps_its_ranks():
    import matplotlib.pyplot as plt

    ranks = {f"a method whose name has forty letters {j}": 1.0 + j for j in range(4)}
    before = plt.get_backend()
    plt.switch_backend("agg")
    try:
        ax = plots.critical_difference(ranks, 1.5, test="Bonferroni-Dunn", alpha=0.1)
        assert ax.figure.get_figwidth() == plots.critical_difference_size(ranks)[0]
        assert "CD = 1.50 (Bonferroni-Dunn, 10 %)" in words(ax)
        boxes, paper = extents(ax)
        assert all(paper.x0 <= box.x0 and box.x1 <= paper.x1 for box in boxes)
    finally:
        plt.close("all")
        plt.switch_backend(before)
    small = plots.critical_difference(ranks, ax=Figure((4, 2), layout="constrained").subplots())
    small.figure.canvas.draw()
    (axis,) = lines(small, "axis")
    assert axis.get_window_extent().width / small.figure.dpi > 1.0


def test_two_methods_are_joined_by_the_name_of_their_test():
    table = pd.DataFrame({"A": [1, 2, 3, 4, 5, 6.0], "B": [2, 1, 4, 3, 6, 5.0]})
    found = compare(table, better="lower")
    told = {"cd": found.critical_difference, "groups": found.groups, "test": found.post_hoc}
    assert "Wilcoxon, 5 %" in words(
        plots.critical_difference(found.ranks.average, **told, ax=axes())
    )


# Maps, curves.


def test_maps_show_each_cell_and_star_the_lowest():
    errors = pd.DataFrame(
        [[0.3, 0.2, np.nan], [0.4, 0.5, 0.6]], index=[0.5, 2], columns=[0.1, 1, 10]
    )
    figure = plots.sensitivity_maps({"tae": errors, "bank": errors + 0.1}, figure=canvas())
    first = figure.axes[0]
    assert first.get_title() == "tae: 0.200 at p = 0.5, γ = 1"
    (star,) = lines(first, "best")
    assert (star.get_xdata()[0], star.get_ydata()[0]) == (1.5, 0.5)
    shown = first.collections[0].get_array()
    np.testing.assert_allclose(np.ma.filled(shown, np.nan), errors)
    assert [t.get_text() for t in first.get_yticklabels()] == ["0.5", "2"]
    assert [t.get_text() for t in first.get_xticklabels()] == ["-1", "0", "1"]
    with pytest.raises(ValueError, match="map of x has no finite value"):
        plots.sensitivity_maps({"x": errors * np.nan})
    with pytest.raises(ValueError, match="map of x are gamma and must be above 0"):
        plots.sensitivity_maps({"x": errors.set_axis([0, 1, 2], axis=1)})


def test_a_flat_map_is_drawn():
    flat = pd.DataFrame([[0.3, 0.3]], index=[1.0], columns=[1.0, 2.0])
    figure = plots.sensitivity_maps({"flat": flat}, figure=canvas())
    figure.canvas.draw()
    assert figure.axes[0].get_title().startswith("flat: 0.300")


def test_convergence_has_a_panel_for_each_set_and_marks_the_fixed_cap():
    histories = {
        name: np.geomspace(9, 1, n) for name, n in [("a", 4), ("b", 7), ("c", 2), ("d", 3)]
    }
    figure = plots.convergence_curves(histories, settled_from={"b": 5}, figure=canvas())
    assert [ax.get_title() for ax in figure.axes] == list("abcd")
    assert [ax.lines[0].get_xdata().tolist()[-1] for ax in figure.axes] == [3, 6, 1, 2]
    np.testing.assert_allclose(figure.axes[1].lines[0].get_ydata(), histories["b"])
    assert [bool(lines(ax, "settled")) for ax in figure.axes] == [False, True, False, False]
    assert lines(figure.axes[1], "settled")[0].get_xdata()[0] == 5
    assert not figure.legends
    several = {"a": {"newton": [3, 2], "alternating": [3, 2.5]}}
    assert legend(plots.convergence_curves(several, figure=canvas())) == ["newton", "alternating"]
    for bad in ([], [1, np.nan], [[1, 2]]):
        with pytest.raises(ValueError, match="a: The history CSVOR"):
            plots.convergence_curves({"a": bad}, figure=canvas())


def test_level_curves_have_a_line_for_each_method_whatever_they_are():
    one = pd.DataFrame({"CSVOR": [0.1, 0.2], "NEW": [0.3, np.nan]}, index=[0, 20])
    other = pd.DataFrame({"CSVOR": [0.2, 0.2], "POM": [0.3, 0.3]}, index=[0, 20])
    figure = plots.level_curves({"tae": one, "own set": other}, figure=canvas())
    assert [ax.get_title() for ax in figure.axes] == ["tae", "own set"]
    drawn = {line.get_label(): line.get_ydata() for line in figure.axes[0].lines}
    np.testing.assert_array_equal(drawn["NEW"], one["NEW"])
    np.testing.assert_array_equal(drawn["CSVOR"], one["CSVOR"])
    assert legend(figure) == ["CSVOR", "NEW", "POM"]
    assert len({line.get_linewidth() for line in figure.axes[0].lines}) == 1
    figure = plots.level_curves({"tae": one}, focus="NEW", figure=canvas())
    thin, thick = (line.get_linewidth() for line in figure.axes[0].lines)
    assert thin < thick


# Plane, losses, images.


def test_projection_shows_classes_outliers_and_directions():
    X = np.array([[0.0, 0], [1, 0], [2, 0], [3, 0], [9, 9]])
    y, marked = np.array([1, 1, 2, 3, 1]), np.arange(5) == 4
    ax = plots.projection_plot(
        X, y, outliers=marked, directions={"CSVOR": [3.0, 0.0], "SVOREX": [0.0, -1.0]}, ax=axes()
    )
    classes = lines(ax, "class")
    assert [len(line.get_xdata()) for line in classes] == [3, 1, 1]
    assert len({line.get_marker() for line in classes}) == 3
    assert lines(ax, "outliers")[0].get_xydata().tolist() == [[9.0, 9.0]]
    first, second = (np.diff(line.get_xydata(), axis=0)[0] for line in lines(ax, "direction"))
    assert first[0] > 0.0
    assert first[1] == 0.0
    assert second[0] == 0.0
    assert second[1] < 0.0
    # Through the centre of the rows that are no outliers; the marker on the side w points to.
    np.testing.assert_allclose(lines(ax, "direction")[0].get_xydata().mean(axis=0), [1.5, 0.0])
    assert lines(ax, "higher")[0].get_xdata()[0] > 1.5
    assert lines(ax, "higher")[1].get_ydata()[0] < 0.0
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["class 1", "class 2", "class 3", "outlier", "CSVOR", "SVOREX"]


def test_wrong_rows_and_directions_are_refused():
    for X, y, complaint in (
        (np.zeros((3, 3)), [1, 2, 3], r"two columns to be drawn; its shape is \(3, 3\)"),
        (np.zeros((3, 2)), [1, 2], "as long: 3, 2, 2"),
    ):
        with pytest.raises(ValueError, match=complaint):
            plots.projection_plot(X, y, ax=axes())
    for bad in ([0.0, 0.0], [1.0], [np.nan, 1.0]):
        with pytest.raises(ValueError, match="direction of POM must be two numbers"):
            plots.projection_plot(np.eye(2), [1, 2], directions={"POM": bad}, ax=axes())


def test_losses_have_their_values():
    figure = plots.loss_plot([0.5, 2.0], epsilon=2.0, tau=0.25, figure=canvas())
    left, right = figure.axes

    def at(ax, label, margin):
        line = {line.get_label(): line for line in ax.lines}[label]
        return float(np.interp(margin, line.get_xdata(), line.get_ydata()))

    assert at(left, "p = 0.5", -2.0) == pytest.approx(np.sqrt(3.0))
    assert at(left, "p = 2", 0.0) == pytest.approx(1.0)
    assert at(left, "p = 2", -2.0) == 2.0
    assert at(left, "p = 2", 1.5) == 0.0
    # A slack of 1.5, and 1 beyond the margin.
    for label, wrong, beyond in (
        ("hinge", 1.5, 0.0),
        ("squared hinge", 2.25, 0.0),
        ("pinball, τ = 0.25", 1.5, 0.25),
        ("capped, p = 1, cap 2", 1.5, 0.0),
    ):
        assert at(right, label, -0.5) == pytest.approx(wrong, abs=1e-3)
        assert at(right, label, 2.0) == pytest.approx(beyond, abs=1e-3)
    for wrong in ({"p": [2.5]}, {"p": []}, {"epsilon": 0.5}, {"tau": 1.5}):
        (name,) = wrong
        with pytest.raises(ValueError, match=f"{name}="):
            plots.loss_plot(**wrong)


@pytest.mark.parametrize("shape", [(6, 5), (6, 5, 3)])
def test_gallery_sorts_images_by_flag_and_truth(rng, shape):
    images = rng.uniform(size=(9, *shape))
    truth = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0], bool)
    flags = np.array([1, 1, 0, 1, 0, 0, 0, 0, 0], bool)
    residuals = np.arange(9.0)
    figure = plots.occlusion_gallery(
        images, truth, flags, residuals=residuals, auc=0.75, most=3, figure=canvas()
    )
    grid = np.array(figure.axes).reshape(4, 3)
    labels = [row[0].get_ylabel().split("\n") for row in grid]
    assert labels == [
        ["flagged, occluded", "2 images"],
        ["flagged, but clean", "1 image"],
        ["not flagged, but occluded", "1 image"],
        ["not flagged, clean", "5 images"],
    ]
    shown = [[ax.images[0].get_array() for ax in row if ax.images] for row in grid]
    assert [len(row) for row in shown] == [2, 1, 1, 3]
    for row, which in zip(shown, ([1, 0], [3], [2], [8, 7, 6]), strict=True):  # largest first
        for image, index in zip(row, which, strict=True):
            np.testing.assert_allclose(image, images[index])
    # Wrong decisions are told by colour and by dashes.
    frames = [row[0].spines["left"].get_linestyle() for row in grid]
    assert [frame == "-" for frame in frames] == [True, False, False, True]
    assert figure.get_suptitle().startswith("3 of 9 images flagged; AUC 0.750")


def test_wrong_images_are_refused(rng):
    images, no = rng.uniform(size=(3, 4, 4)), np.zeros(3, bool)
    with pytest.raises(ValueError, match="as long: 3, 2, 3, 3"):
        plots.occlusion_gallery(images, no[:2], no)
    with pytest.raises(ValueError, match=r"\(n_samples, height, width\)"):
        plots.occlusion_gallery(images[0], no, no)
    with pytest.raises(ValueError, match="most=0"):
        plots.occlusion_gallery(images, no, no, most=0)


def test_new_figures_are_made_where_none_is_given():
    import matplotlib.pyplot as plt

    before = plt.get_backend()
    plt.switch_backend("agg")
    try:
        ax = plots.critical_difference({"A": 1.0, "B": 2.0})
        figure = plots.loss_plot([1.0])
        assert plt.fignum_exists(ax.figure.number)
        assert plt.fignum_exists(figure.number)
    finally:
        plt.close("all")
        plt.switch_backend(before)


def rater_table(n):
    """Of raters r0, r1, ...: the last but one is a class too high."""
    shift = np.zeros(n)
    shift[-2] = 1.0
    ends = np.column_stack([shift - 0.2, shift + 0.2])
    share = np.column_stack([np.zeros(n), np.full(n, 0.2)])
    names = np.array([f"r{i}" for i in range(n)])
    counts = np.arange(10, 10 + n)
    others = np.full(n, 0.1), share, np.ones(n), np.full(n, 0.9)
    return RaterTable(names, counts, shift, ends, *others, reference="the middle of the raters")


def test_raters_lie_in_the_order_of_their_shifts_and_those_apart_are_red():
    ax = axes()
    display = plots.RatersDisplay.from_table(rater_table(5), ax=ax)
    assert display.ax_ is ax
    assert display.order_.tolist() == [0, 1, 2, 4, 3]
    assert [label.get_text() for label in ax.get_yticklabels()] == ["r0", "r1", "r2", "r4", "r3"]
    red = [line for line in ax.lines if line.get_color() == "#D55E00"]
    assert [line.get_xdata().tolist() for line in red] == [[1.0]]
    assert red[0].get_ydata().tolist() == [4]
    assert {"labels", "careless", "13", "10%"} <= set(words(ax))
    assert "middle of the raters" in ax.get_xlabel()


def test_very_many_raters_are_lines_without_names():
    display = plots.RatersDisplay.from_table(rater_table(300))
    assert display.ax_.get_yticks().size == 0
    assert display.ax_.get_ylabel() == "300 raters"
    assert display.figure_.get_size_inches()[1] < 12
    with pytest.raises(TypeError, match="table must be the raters of an audit, got NoneType"):
        plots.RatersDisplay(None)


def coefficients(**ratios):
    """A table of odds ratios with their intervals, as a summary has it."""
    middle = np.log(list(ratios.values()))
    table = pd.DataFrame(
        {"estimate": middle, "low": middle - 0.5, "high": middle + 0.5},
        index=pd.Index(list(ratios), name="parameter"),
    )
    for name, of in (("", "estimate"), ("_low", "low"), ("_high", "high")):
        table[f"odds_ratio{name}"] = np.exp(table[of])
    return table


def points(ax):
    """By the colour of a model: values and heights of its points."""
    return {
        line.get_color(): np.column_stack(line.get_data())
        for line in ax.lines
        if line.get_marker() in ("o", "s", "D")
    }


def test_a_forest_plot_has_a_line_for_each_column_from_the_top():
    ax = axes()
    table = coefficients(age=2.0, dose=0.5, sex=1.0)
    display = plots.CoefficientsDisplay(table, odds_ratios=True, level=0.9).plot(ax)
    assert display.ax_ is ax and display.names_ == ["age", "dose", "sex"]
    assert ax.get_xscale() == "log" and ax.yaxis_inverted()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["age", "dose", "sex"]
    ((values, height),) = (of.T for of in points(ax).values())
    np.testing.assert_allclose(values, [2.0, 0.5, 1.0])
    assert height.tolist() == [0, 1, 2]
    assert {"odds ratio (90 % interval)", "2.00 (1.21 to 3.30)"} <= set(words(ax))
    assert ax.get_legend() is None


def test_models_stand_beside_each_other_in_the_line_of_a_column():
    both = {"wrong": coefficients(age=2.0, dose=0.5), "right": coefficients(age=1.5)}
    ax = axes()
    display = plots.CoefficientsDisplay(both).plot(ax)
    first, second = points(ax).values()
    np.testing.assert_allclose(first[:, 0], np.log([2.0, 0.5]))
    np.testing.assert_allclose(second[0, 0], np.log(1.5))
    assert first[0, 1] < 0.0 < second[0, 1] and first[1, 1] == 1.0
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["wrong", "right"]
    assert "\N{MINUS SIGN}0.69 (\N{MINUS SIGN}1.19 to \N{MINUS SIGN}0.19)" in words(ax)
    assert display.ax_.get_xlabel() == "coefficient"


def test_coefficients_of_a_fit_are_those_of_its_summary():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["age", "dose"])
    y = np.digitize(X @ [1.0, -0.5] + rng.logistic(size=200), [-1.0, 1.0])
    logit = OrdinalRegression(wrong=0).fit(X, y, raters=np.resize(["Ada", "Ben"], 200))
    probit = OrdinalRegression(wrong=0, link="probit").fit(X, y)
    display = plots.CoefficientsDisplay.from_estimator(logit, ax=axes())
    assert display.odds_ratios and display.names_ == ["age", "dose"]
    ((values, _),) = (of.T for of in points(display.ax_).values())
    np.testing.assert_allclose(values, np.exp(logit.coef_))
    both = {"logit": logit, "probit": probit}
    display = plots.CoefficientsDisplay.from_estimator(both, columns=["dose"], ax=axes())
    assert not display.odds_ratios and display.names_ == ["dose"]
    with pytest.raises(ValueError, match="'age' has no odds ratio"):
        plots.CoefficientsDisplay.from_estimator(probit, odds_ratios=True)
    with pytest.raises(ValueError, match="No model has a coefficient of \\['weight'\\]"):
        plots.CoefficientsDisplay.from_estimator(logit, columns=["weight"])
    with pytest.raises(ValueError, match="There are 0 tables"):
        plots.CoefficientsDisplay({})
    with pytest.raises(TypeError, match="must be an OrdinalRegression, got CSVOR"):
        plots.CoefficientsDisplay.from_estimator(CSVOR())
