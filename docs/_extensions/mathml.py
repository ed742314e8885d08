"""Formulas as MathML, which browsers draw themselves: the built pages load nothing."""

from docutils import nodes
from latex2mathml.converter import convert
from sphinx.application import Sphinx
from sphinx.writers.html5 import HTML5Translator


def inline(self: HTML5Translator, node: nodes.math) -> None:
    self.body.append(convert(node.astext()))
    raise nodes.SkipNode


def block(self: HTML5Translator, node: nodes.math_block) -> None:
    latex = node.astext()
    if r"\\" in latex and r"\begin" not in latex:
        latex = rf"\begin{{aligned}}{latex}\end{{aligned}}"
    # Side by side where there is room, below each other where there is not.
    parts = [latex] if r"\begin" in latex else latex.split(r"\qquad")
    formulas = "".join(convert(part, display="block") for part in parts)
    self.body.append(f'<div class="formula">{formulas}</div>\n')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, bool]:
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
