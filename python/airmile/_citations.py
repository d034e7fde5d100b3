"""Citations in texts: where they are, and the page that a reader can open for each.

A text names its sources as "methods C2", "RFC 6298 section 2", "TS 36.321 section 5.3.2" or "LTE13
section 4.2". `references` finds these citations, and `address` returns a page of the web or a file
of this project.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from operator import attrgetter

PAGES = {
    **{"A": "a-input", "T": "t-transfers", "B": "b-latency", "C": "c-queues"},
    **{"D": "d-throughput", "E": "e-bandwidth", "F": "f-applications", "G": "g-radio"},
    **{"H": "h-experiments", "I": "i-models"},
}
"""The page of docs/methods with the definitions of each letter."""

DOIS = {
    "LTE13": "10.1145/2486001.2486006",
    "EFF14": "10.1109/WIOPT.2014.6850290",
    "UP16": "10.1145/2987443.2987490",
    "BT19": "10.1145/3300061.3300140",
    "HWY18": "10.1007/978-3-319-76481-8_20",
}
"""The tags of the papers; docs/methods.md has their titles."""

_DEFINITION = r"[A-Z]\d+(?!\w)(?:'(?!\w))?"
_NUMBER = r"(?:\d+[a-z]?(?:\.\d+)*(?:-\d+)?|[IVX]+\b|[A-Z](?:\.\d+)*\b)"
_PLACES = (
    r"(?:,? \(?(?P<word>[Ss]ection|[Aa]ppendix|[Aa]nnex|[Cc]lause|[Tt]able|[Ff]igure|Fig|formula)"
    rf"s?\.? (?P<numbers>{_NUMBER}(?:(?:,| and|, and| to) {_NUMBER})*))?"
)
_METHODS = re.compile(
    rf"\b[Mm]ethods,? (?P<names>{_DEFINITION}(?:(?:,| and|, and| or| to) {_DEFINITION})*"
    rf"|[{''.join(PAGES)}](?:, [{''.join(PAGES)}])*(?![\w']))"
)
_RFC = re.compile(rf"\bRFC (?P<name>\d+){_PLACES}")
_SPEC = re.compile(rf"\bTS (?P<name>\d\d\.\d{{3}}(?:-\d)?){_PLACES}")
_PAPER = re.compile(rf"\b(?P<name>{'|'.join(DOIS)})\b(?:'s)?{_PLACES}")
_WORDS = {"fig": "figure", "annex": "appendix", "clause": "section"}


@dataclass(frozen=True)
class Citation:
    """A source that a text names.

    Attributes
    ----------
    kind : str
        `methods`, `rfc`, `3gpp` or `paper`.
    name : str
        The definition ("C2") or its letter, the number of the RFC or specification, or the paper's
        tag.
    part : str
        The place in the source, as "section 4.2" or "figure 5"; empty if the text names none.
    start : int
        Index of the text at which the citation begins.
    end : int
        Index of the text at which the citation ends.
    """

    kind: str
    name: str
    part: str
    start: int
    end: int


def references(text: str) -> list[Citation]:
    """Return the citations of a text, in order.

    >>> [(c.name, c.part) for c in references("methods C2, C4; RFC 6298 sections 2.1 and 3")]
    [('C2', ''), ('C4', ''), ('6298', 'section 2.1'), ('6298', 'section 3')]
    """
    found = [*_definitions(text), *_places("rfc", _RFC, text), *_places("3gpp", _SPEC, text)]
    return sorted([*found, *_places("paper", _PAPER, text)], key=attrgetter("start"))


def sources(text: str) -> list[Citation]:
    """Return the citations in a column's source, where "C2" alone is a definition of the methods.

    >>> [(c.kind, c.name) for c in sources("C2, RFC 2883 section 4; methods C3")]
    [('methods', 'C2'), ('rfc', '2883'), ('methods', 'C3')]
    """
    named = references(text)
    bare = [
        Citation("methods", match[0], "", match.start(), match.end())
        for match in re.finditer(rf"(?<![^, ]){_DEFINITION}(?=[,;]|$)", text)
        if not any(each.start <= match.start() < each.end for each in named)
    ]
    return sorted([*named, *bare], key=attrgetter("start"))


def address(citation: Citation) -> str:
    """Return what a reader can open: a path in the project's folder, or the address of a web page.

    >>> [address(c) for c in references("methods C2, RFC 6298 section 2, TS 36.321")]
    ['docs/methods/c-queues.md#c2', 'https://www.rfc-editor.org/rfc/rfc6298#section-2',
     'https://www.3gpp.org/dynareport/36321.htm']
    """
    if citation.kind == "methods":
        return _page(citation.name)
    if citation.kind == "rfc":
        return f"https://www.rfc-editor.org/rfc/rfc{citation.name}" + _anchor(citation.part)
    if citation.kind == "3gpp":
        return f"https://www.3gpp.org/dynareport/{citation.name.replace('.', '')}.htm"
    return f"https://doi.org/{DOIS[citation.name]}"


def definition(source: str) -> str | None:
    """Return the address of the first citation in a column's source; None without a citation.

    >>> definition("B1', LTE13 section 4.2")
    'docs/methods/b-latency.md#b1-prime'
    """
    return next((address(citation) for citation in sources(source)), None)


def _page(name: str) -> str:
    page = PAGES.get(name[0])
    path = f"docs/methods/{page}.md" if page else "docs/methods.md"
    return path if len(name) == 1 else f"{path}#{name.lower().replace(chr(39), '-prime')}"


def _anchor(part: str) -> str:
    word, _, number = part.partition(" ")
    return f"#{word}-{number}" if word in ("section", "appendix") else ""


def _definitions(text: str) -> Iterator[Citation]:
    for match in _METHODS.finditer(text):
        first = match.start("names")
        for each in re.finditer(rf"{_DEFINITION}|[A-Z](?!\w)", match["names"]):
            start = match.start() if each.start() == 0 else first + each.start()
            yield Citation("methods", each[0], "", start, first + each.end())


def _places(kind: str, pattern: re.Pattern[str], text: str) -> Iterator[Citation]:
    """Yield one citation for each place that a text names, or one without a place."""
    for match in pattern.finditer(text):
        if match["numbers"] is None:
            yield Citation(kind, match["name"], "", match.start(), match.end())
            continue
        word = match["word"].lower()
        for each in re.finditer(_NUMBER, match["numbers"]):
            start = match.start() if each.start() == 0 else match.start("numbers") + each.start()
            part = f"{_WORDS.get(word, word)} {each[0]}"
            yield Citation(kind, match["name"], part, start, match.start("numbers") + each.end())
