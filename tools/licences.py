"""Compares the licence of every Python package with the list of allowed licences.

The licence is read from the metadata of installed packages; ``deny.toml`` has the rules for crates.
In an expression with OR the permissive side counts; with AND every side must be allowed. MPL-2.0
and Python's own licence are allowed for tools of development only. LGPL is allowed for packages of
an optional extra, which users choose.

Packages that are not allowed are printed; the exit code is then 1.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent

ALLOWED = frozenset(
    {
        *("Apache-2.0", "Apache-2.0 WITH LLVM-exception", "MIT", "MIT-0", "0BSD", "ISC", "Zlib"),
        *("BSD-1-Clause", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "Unicode-3.0"),
    }
)
"""The licences that are always allowed: Apache-2.0, MIT, BSD, Zlib, CC0, ISC and Unicode."""

DEVELOPMENT_ONLY = frozenset({"MPL-2.0", "PSF-2.0", "MIT-CMU"})
"""Licences that are allowed for building, testing and optional extras only.

matplotlib brings the last two. They must not reach what every user installs.
"""

CHOSEN = frozenset({"LGPL-2.1-or-later"})
"""Licences that a user may choose by an extra (``rrc``: pycrate), and that are never shipped."""

SPOKEN = {
    "Apache Software License": "Apache-2.0",
    "Apache License 2.0": "Apache-2.0",
    "LGPL v2.1+": "LGPL-2.1-or-later",
    "MIT License": "MIT",
    "BSD License": "BSD-3-Clause",
    "ISC License (ISCL)": "ISC",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
}
"""Names of licences that packages without an SPDX expression use."""

LONGEST_NAME = 60
"""A longer text in the field License is the text of the licence itself."""


@dataclass(frozen=True)
class Dependency:
    """One package, its licence, and whether users get it or choose it by an extra."""

    name: str
    licence: str
    shipped: bool
    chosen: bool = False


def main() -> int:
    """Check every installed package, and print those that are not allowed."""
    dependencies = list(packages())
    offenders = [found for found in dependencies if not permitted(found)]
    for found in offenders:
        users = "shipped to users" if found.shipped else "development only"
        print(f"{found.name}: {found.licence or 'no licence named'} ({users})")
    print(f"{len(dependencies)} dependencies, {len(offenders)} with a licence that is not allowed")
    return 1 if offenders else 0


def permitted(dependency: Dependency) -> bool:
    """Return whether the licence of a package allows the way in which it is used."""
    if dependency.shipped:
        return satisfies(dependency.licence, ALLOWED)
    allowed = ALLOWED | DEVELOPMENT_ONLY
    return satisfies(dependency.licence, allowed | CHOSEN if dependency.chosen else allowed)


def satisfies(expression: str, allowed: frozenset[str]) -> bool:
    """Return whether an SPDX expression is allowed; an unknown word is not.

    >>> satisfies("MIT OR GPL-3.0-only", ALLOWED), satisfies("MIT AND GPL-3.0-only", ALLOWED)
    (True, False)
    >>> satisfies("(MIT OR Apache-2.0) AND Unicode-3.0", ALLOWED)
    True
    >>> satisfies("MIT/Apache-2.0", ALLOWED), satisfies("", ALLOWED)
    (True, False)
    """
    words = re.findall(r"[()]|[^\s()]+(?:\s+WITH\s+[^\s()]+)?", expression.replace("/", " OR "))
    value, rest = _either(words, allowed)
    return value and not rest


def packages() -> Iterator[Dependency]:
    """Yield the Python packages of the environment; the project's own dependencies are shipped."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    shipped = _closure(_names(project["dependencies"]))
    extras = project["optional-dependencies"]
    offered = (text for name, texts in extras.items() if name != "dev" for text in texts)
    chosen = _closure(_names(list(offered)))
    for found in metadata.distributions():
        name = _normal(found.name)
        if name not in ("airmile", "pip", "setuptools"):
            title, licence = f"{name} {found.version}", _licence(found)
            yield Dependency(title, licence, name in shipped, name in chosen)


def _either(words: list[str], allowed: frozenset[str]) -> tuple[bool, list[str]]:
    value, words = _both(words, allowed)
    while words[:1] == ["OR"]:
        other, words = _both(words[1:], allowed)
        value = value or other
    return value, words


def _both(words: list[str], allowed: frozenset[str]) -> tuple[bool, list[str]]:
    value, words = _one(words, allowed)
    while words[:1] == ["AND"]:
        other, words = _one(words[1:], allowed)
        value = value and other
    return value, words


def _one(words: list[str], allowed: frozenset[str]) -> tuple[bool, list[str]]:
    if words[:1] == ["("]:
        value, words = _either(words[1:], allowed)
        return value, words[1:]
    return (" ".join(words[0].split()) in allowed, words[1:]) if words else (False, [])


def _closure(names: set[str]) -> set[str]:
    seen: set[str] = set()
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        if name not in seen:
            seen.add(name)
            waiting += _names(metadata.requires(name) or [])
    return seen


def _names(requirements: list[str]) -> set[str]:
    """Return the names of requirements, without those of extras and of other systems."""
    plain = [text for text in requirements if "extra ==" not in text]
    names = {_normal(re.split(r"[\s<>=!~;\[(]", text, maxsplit=1)[0]) for text in plain}
    installed = {_normal(found.name) for found in metadata.distributions()}
    return names & installed


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _licence(found: metadata.Distribution) -> str:
    """Return the SPDX expression of a package, else its classifiers, else the short text."""
    fields = found.metadata
    if expressions := fields.get_all("License-Expression"):
        return " AND ".join(f"({text})" for text in expressions)
    named = [
        text.rsplit(" :: ", 1)[-1]
        for text in fields.get_all("Classifier") or []
        if text.startswith("License ::")
    ]
    if not named:
        named = [text for text in fields.get_all("License") or [] if len(text) < LONGEST_NAME]
    return " AND ".join(SPOKEN.get(name, name) for name in named)


if __name__ == "__main__":
    sys.exit(main())
