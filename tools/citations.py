"""Prints how many sources the code, the documentation and the tables cite, by kind.

``python -m tools.citations`` prints a line for each kind, and for each citation without a target.
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from airmile import _citations
from airmile._citations import Citation
from airmile.cli.schema import described

ROOT = Path(__file__).parent.parent
FOLDERS = ("crates", "python", "docs", "tests", "tools", "benches")
SUFFIXES = (".rs", ".py", ".md", ".toml")
EXCEPT = ("tests/data/", "tests/borders/test_citations.py")
"""Files that are not read: those of captures, and a test that cites what does not exist."""

_COMMENT = re.compile(r"\s*(?:///|//!|//|#(?!\[)|\|)?\s*")
_TITLE = re.compile(r'<a id="([^"]+)"></a>')


@dataclass(frozen=True)
class Found:
    """A citation, and the file or table that contains it."""

    place: str
    citation: Citation


def main() -> int:
    """Print the numbers; return 1 if a citation names a definition that does not exist."""
    found = [*in_files(), *in_tables()]
    for kind, number in sorted(Counter(each.citation.kind for each in found).items()):
        print(f"{number:6} {kind}")
    lost = [each for each in found if not is_defined(each.citation)]
    for each in lost:
        print(f"{each.place}: no definition {each.citation.name}")
    return 1 if lost else 0


def in_files() -> Iterator[Found]:
    """Yield the citations in every text file of the project, with file and line."""
    for path in texts():
        name = str(path.relative_to(ROOT))
        lines = path.read_text(encoding="utf-8").splitlines()
        text, starts = prose(lines)
        for citation in _citations.references(text):
            line = sum(start <= citation.start for start in starts)
            yield Found(f"{name}:{line}", citation)


def in_tables() -> Iterator[Found]:
    """Yield the citations of the columns of tables and of the parameters."""
    document = described()
    for table, each in document["tables"].items():
        for column in each["columns"]:
            for citation in _citations.sources(column["cite"]):
                yield Found(f"{table}.{column['name']}", citation)
    for parameter in document["parameters"]:
        for citation in _citations.sources(parameter["source"]):
            yield Found(parameter["name"], citation)


def texts() -> Iterator[Path]:
    """Yield the files that people read: code and documentation."""
    inner = (path for folder in FOLDERS for path in sorted((ROOT / folder).rglob("*")))
    for path in (*sorted(ROOT.glob("*.md")), *inner):
        name = str(path.relative_to(ROOT))
        if path.suffix in SUFFIXES and not name.startswith(EXCEPT):
            yield path


def prose(lines: list[str]) -> tuple[str, list[int]]:
    """Return lines as one text without comment signs, and where each line starts in the text.

    >>> prose(["/// A timer (RFC 6298", "/// section 2)."])
    ('A timer (RFC 6298 section 2).', [0, 18])
    """
    bare = [_COMMENT.sub("", line, count=1) for line in lines]
    starts: list[int] = []
    length = 0
    for line in bare:
        starts.append(length)
        length += len(line) + 1
    return " ".join(bare), starts


@cache
def anchors(path: Path) -> set[str]:
    """Return the anchors that a page defines."""
    return set(_TITLE.findall(path.read_text(encoding="utf-8")))


def is_defined(citation: Citation) -> bool:
    """Return whether a citation of the methods leads to an existing page and anchor."""
    if citation.kind != "methods":
        return True
    name, _, anchor = _citations.address(citation).partition("#")
    path = ROOT / name
    return path.exists() and (not anchor or anchor in anchors(path))


if __name__ == "__main__":
    sys.exit(main())
