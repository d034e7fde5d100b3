"""The sources of a study's page: papers and standards as links, definitions by their file."""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from airmile._citations import Citation, address, references
from airmile.render.study_page_parts import code, text
from airmile.study import Exhibit

METHODS = "methods"
"""The kind of a definition of airmile, and the identifier of their list on the page."""


def source(study: str, exhibit: Exhibit) -> str:
    """Return the place of an exhibit in its paper, and what its caption cites, as links."""
    tag = study.upper()
    named = {_name(each): each for each in references(exhibit.caption) if each.name != tag}
    (paper,) = references(tag)
    links = [f"{_link(paper, tag)}, {text(exhibit.section)}"]
    links += [_link(each, name) for name, each in named.items()]
    return f"Source: {'; '.join(links)}."


def definitions(texts: Iterable[str]) -> str:
    """Return where the definitions are that texts cite, which no page of the web has."""
    cited = {each for words in texts for each in references(words) if each.kind == METHODS}
    files: dict[str, list[str]] = {}
    for path, name in sorted({_file(each) for each in cited}, key=_in_order):
        files.setdefault(path, []).append(name)
    if not files:
        return ""
    items = "".join(
        f"<li>{text(', '.join(names))}: {code(path)}</li>" for path, names in files.items()
    )
    return (
        f"<section id={METHODS}><h3>Definitions</h3><p>Each quantity has a definition in the "
        "documentation of airmile: formula, unit, source and an example. It comes with the source "
        f"code:</p><ul>{items}</ul></section>"
    )


def _file(citation: Citation) -> tuple[str, str]:
    return address(citation).partition("#")[0], citation.name


def _in_order(file: tuple[str, str]) -> tuple[str, int]:
    """Sort definitions by their file, then by number: A2 before A10."""
    path, name = file
    return path, int(re.sub(r"\D", "", name) or 0)


def _link(citation: Citation, name: str) -> str:
    to = f"#{METHODS}" if citation.kind == METHODS else address(citation)
    return f'<a href="{escape(to)}">{text(name)}</a>'


def _name(citation: Citation) -> str:
    """Return the name of a source with its kind, as a text gives it.

    >>> print(*map(_name, references("methods C5, RFC 6298, TS 36.321, LTE13")), sep=", ")
    methods C5, RFC 6298, TS 36.321, LTE13
    """
    kinds = {METHODS: "methods ", "rfc": "RFC ", "3gpp": "TS "}
    return kinds.get(citation.kind, "") + citation.name
