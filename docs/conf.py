"""The documents as a site: ``make docs`` builds it in ``build/docs``."""

from __future__ import annotations

import re
from importlib.metadata import version as version_of
from pathlib import Path, PurePosixPath

from docutils import nodes
from sphinx import addnodes

HERE = Path(__file__).parent

project = "bitsieve"
author = "The bitsieve developers"
version = release = version_of("bitsieve")
html_title = f"bitsieve {version}"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.autosummary", "numpydoc"]
source_suffix = {".md": "markdown"}
html_theme = "furo"
html_copy_source = False
myst_heading_anchors = 3
autosummary_generate = False
autodoc_typehints = "none"  # the docstrings have them
autodoc_inherit_docstrings = True
numpydoc_show_class_members = True
numpydoc_show_inherited_class_members = False
numpydoc_class_members_toctree = False
numpydoc_xref_param_type = False
OF_THE_REPOSITORY = {"README", "CONTRIBUTING", "CHANGELOG", "LICENSE"}


def unlink_what_is_no_page(app, doctree):
    """Links to files of the repository that are no pages of the site become plain text."""
    for link in list(doctree.findall(addnodes.pending_xref)):
        if PurePosixPath(link.get("reftarget") or "").stem in OF_THE_REPOSITORY:
            link.replace_self(nodes.literal(text=link.astext()))


def leave_out_what_is_not_ours(app, kind, name, member, skip, options):
    """Methods that scikit-learn writes into every estimator are described there."""
    module = getattr(member, "__module__", None)
    return True if callable(member) and module is not None and not module.startswith("bitsieve") else None


def pages_in_tables_of_contents():
    """The names of all pages that a toctree lists."""
    listed = set()
    for page in HERE.rglob("*.md"):
        for toctree in re.findall(r"^```{toctree}\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL):
            names = [line for line in toctree.splitlines() if line and not line.startswith(":")]
            listed |= {(page.parent / name).relative_to(HERE).as_posix() for name in names}
    return listed


def add_pages_that_are_listed_nowhere(app, docname, source):
    """Add every page that no table of contents has to the last one."""
    if docname == "index":
        names = {path.relative_to(HERE).with_suffix("").as_posix() for path in HERE.rglob("*.md")}
        missing = sorted(names - pages_in_tables_of_contents() - {"index"})
        source[0] = source[0].rstrip().removesuffix("```") + "\n".join([*missing, "```", ""])


def setup(app):
    """Called by Sphinx."""
    app.connect("source-read", add_pages_that_are_listed_nowhere)
    app.connect("doctree-read", unlink_what_is_no_page)
    app.connect("autodoc-skip-member", leave_out_what_is_not_ours)
