# SPDX-License-Identifier: Apache-2.0
"""Sphinx's configuration of the handbook; book.main writes the sources that it reads."""

project = "Tsuji"
project_copyright = "The Tsuji developers, Apache License 2.0"
html_title = "Tsuji handbook"
extensions = ["myst_parser"]
myst_heading_anchors = 4
myst_enable_extensions = ["deflist"]
highlight_language = "none"  # code without a word for its language
html_theme = "furo"
html_static_path = ["_static"]
html_css_files = ["handbook.css"]
html_copy_source = False
html_show_sphinx = False
html_last_updated_fmt = None
html_theme_options = {"navigation_with_keys": True}
smartquotes = False  # "--option" keeps its two hyphens
