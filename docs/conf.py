"""How is the site built? `make docs`, without a network; warnings are errors."""

import re
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "_extensions"))

import matplotlib  # noqa: E402
from gallery import SECTIONS  # noqa: E402

import csvor  # noqa: E402

matplotlib.use("agg")

project = "csvor"
author = "The csvor developers"
copyright = author
version = release = csvor.__version__

extensions = [
    "mathml",
    "myst_parser",
    "options",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.viewcode",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "_extensions", "**/GALLERY_HEADER.rst"]
templates_path = ["_templates"]
extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}
# Other packages' pages are not asked for what they hold: the build needs no network.
nitpick_ignore_regex = [(r"py:\w+", r"(sklearn|pandas|numpy|matplotlib|skrub)\..*")]
suppress_warnings = ["config.cache"]

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3

autosummary_generate = True
autodoc_typehints = "none"
autodoc_member_order = "groupwise"
default_role = "autolink"
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False

html_theme = "pydata_sphinx_theme"
html_title = "csvor"
html_static_path = ["_static"]
html_css_files = ["csvor.css"]
html_js_files = ["csvor.js"]
html_favicon = "_static/favicon.svg"
html_math_renderer = "mathml"
html_show_sourcelink = False
html_copy_source = False
html_sidebars = {"index": [], "start": [], "compare": [], "auto_examples/**": []}
html_context = {"default_mode": "auto"}
html_theme_options = {
    "header_links_before_dropdown": 8,
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "compare": []},
    "show_prev_next": True,
    "logo": {"text": f"csvor {release}"},
    "pygments_light_style": "a11y-high-contrast-light",
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    # Makes files.md.
    "ignore_pattern": r"__init__\.py|dirty_files\.py",
    "gallery_dirs": "auto_examples",
    # plot_readers.py needs a database that the extra "bench" brings, and a minute.
    "filename_pattern": r"/plot_(?!readers)",
    "subsection_order": [f"../examples/{name}" for name in SECTIONS],
    "within_subsection_order": "gallery.Order",
    "backreferences_dir": "generated/backreferences",
    "doc_module": ("csvor",),
    "image_srcset": ["2x"],
    "download_all_examples": False,
    "capture_repr": (),
    "show_memory": False,
    "write_computation_times": False,
    "show_signature": False,
    "min_reported_time": 1e6,
    "remove_config_comments": True,
    "matplotlib_animations": False,
    "plot_gallery": "True",
}

# Files of the repository that pages speak of, by the page of the site that shows them.
_SHOWN = (
    (r"\.\./examples/(\w+/plot_\w+)\.py", r"auto_examples/\1.rst"),
    (r"\.\./benchmarks/results/(?:wrong_labels|real_errors)\.md", "measured.md"),
    (r"\.\./examples/?", "auto_examples/index.rst"),
    (r"\.\./benchmarks/README\.md", "measured.md"),
    (r"\.\./CHANGELOG\.md", "changes.md"),
)


def _lead_to_pages(app, docname, source):
    """Links that work in the repository lead to pages of the site."""
    if "/" not in docname:
        for there, here in _SHOWN:
            source[0] = re.sub(rf"\]\({there}\)", f"]({here})", source[0])


def setup(app):
    app.connect("source-read", _lead_to_pages)
