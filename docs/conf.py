"""Settings of the site: `sphinx-build docs out/site` builds it from these pages and the docstrings."""

import importlib.metadata
import posixpath
import re
import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent
sys.path.insert(0, str(DOCS.parent / "engine"))

project = "MeshClash"
release = importlib.metadata.version("meshclash")
html_theme = "furo"
html_title = f"MeshClash {release}"
extensions = ["myst_parser", *(f"sphinx.ext.{name}" for name in ("autodoc", "autosummary", "napoleon", "viewcode"))]
exclude_patterns = ["images/README.md"]
default_role = "literal"  # docstrings say `name` for code
autodoc_default_options = {"members": True, "undoc-members": False}
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
toc_object_entries_show_parents = "hide"
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
html_copy_source = False
napoleon_use_ivar = True
autodoc_mock_imports = ["trimesh"]  # the site needs no other library
suppress_warnings = ["ref.python"]  # many classes have an attribute `depth`


def _mark_links_out(_app: object, page: str, source: list[str]) -> None:
    """Makes plain text of links to files of the repository that are no pages of the site."""

    def marked(link: re.Match[str]) -> str:
        text, target = link.groups()
        path = posixpath.normpath(posixpath.join(posixpath.dirname(page), target.partition("#")[0]))
        return link[0] if not path.startswith("..") and (DOCS / path).is_file() else text

    source[0] = re.sub(r"(?<!!)\[([^\]\[]*)\]\((?!https?:|#|mailto:)([^)\s]+)\)", marked, source[0])


def setup(app: object) -> None:
    """Connects the change of links."""
    app.connect("source-read", _mark_links_out)  # type: ignore[attr-defined]
