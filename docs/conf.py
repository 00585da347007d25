import re

from docutils import nodes
from docutils.utils.math.latex2mathml import tex2mathml

import spherelax

project = "spherelax"
author = "The spherelax developers"
project_copyright = author
release = version = spherelax.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "sg_execution_times.rst", "gallery/*.md5", "gallery/*.ipynb"]

myst_enable_extensions = ["dollarmath", "deflist"]
myst_heading_anchors = 3

autodoc_typehints = "none"
autosummary_generate = False
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"plot_[^/\\]*\.py$",
    "ignore_pattern": r"^(?!plot_)",
    "within_subsection_order": "FileNameSortKey",
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "remove_config_comments": True,
    "min_reported_time": 1e9,
    "abort_on_example_error": True,
    "thumbnail_size": (400, 280),
}

html_theme = "pydata_sphinx_theme"
html_title = f"spherelax {version}"
html_static_path = ["_static"]
html_css_files = ["custom.css"]
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "navbar_end": ["theme-switcher"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_prev_next": True,
    "pygments_light_style": "tango",
    "show_nav_level": 2,
}
WITHOUT_SIDEBAR = (
    "index",
    "architecture",
    "cells",
    "glossary",
    "quickstart",
    "command_line",
    "method",
    "coordinate",
    "departures",
    "experiments",
    "photographs",
    "records",
    "graphs",
    "report",
    "gallery/*",
)
html_sidebars = {page: [] for page in WITHOUT_SIDEBAR}
html_math_renderer = "mathml"


def _write_inline(self, node):
    """Write a formula inside a line as MathML: browsers show it without any script."""
    self.body.append(tex2mathml(node.astext()))
    raise nodes.SkipNode


def _write_block(self, node):
    """Write a formula of its own as MathML."""
    self.body.append(f'<div class="equation">{tex2mathml(node.astext(), as_block=True)}</div>\n')
    raise nodes.SkipNode


def _close_fences(app, docname, source):  # noqa: ARG001 (Sphinx's signature)
    """Drop the blank line that ends the last expected output before a fence closes."""
    source[0] = re.sub(r"\n\n( *```\n)", r"\n\1", source[0])


def setup(app):
    """Tell Sphinx about the writer of formulas and the blank lines that doctest needs."""
    app.connect("source-read", _close_fences)
    app.add_html_math_renderer("mathml", (_write_inline, None), (_write_block, None))
