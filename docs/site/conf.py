"""Sphinx's settings: nothing is fetched, neither when the site is built nor when it is read."""

from __future__ import annotations

from pathlib import Path

from referee import __version__

project, author = "referee", "the authors of referee"
version = release = __version__
copyright = f"{author}; BSD-3-Clause"  # noqa: A001 (Sphinx's name)
extensions = ["myst_parser", "sphinx.ext.autodoc"]
source_suffix = {".md": "markdown"}
exclude_patterns = ["files"]

myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
smartquotes = False  # options begin with two dashes
highlight_language = "none"
default_role = "code"  # docstrings say `this`
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_type_aliases = {"Task": "Task"}
autodoc_class_signature = "separated"  # results are not made by hand
python_use_unqualified_type_names = True
add_module_names = False

html_theme = "pydata_sphinx_theme"
html_title = f"referee {release}"
html_static_path = [str(Path(__file__).parents[2] / "build/site-source/_static")]
html_css_files = ["colours.css", "charts.css", "site.css"]
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "logo": {"text": "referee"},
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
}
html_sidebars = {"index": [], "faq": []}
