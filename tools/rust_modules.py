"""The modules of a Rust crate and which of them uses which, read from its sources.

A module uses another if one of its paths (in a `use` or in code) leads there: `crate::a::B` and
`super::a::B` use the module `a`, and `super::B` uses the parent module. Code for tests and inline
modules do not count. Macros are not expanded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

NOISE = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?r(?P<hashes>\#*)".*?"(?P=hashes)|b?"(?:\\.|[^"\\])*"|b?'(?:\\.[^']*|[^'\\])'""",
    re.DOTALL,
)
"""Matches comments and literals, in which nothing is a path."""

INLINE = re.compile(r"(?:#\[[^\]]*\]\s*)*(?:pub(?:\([^)]*\))? )?mod \w+ \{")
TEST_ITEM = re.compile(r"#\[cfg\(test\)\]\s*(?:#\[[^\]]*\]\s*)*[^;{]*[;{]")
USE = re.compile(r"\buse\s+([^;]+);")
PATH = re.compile(r"(?<![\w:$])(?<!pub\(in )(?:crate|self|super|[a-z_]\w*)(?:::(?:super|\w+))+")


def graph(crate: Path) -> dict[str, set[str]]:
    """Return which modules each module of a crate uses.

    Parameters
    ----------
    crate : Path
        The folder of the crate, which contains `src`.

    Returns
    -------
    dict of str to set of str
        For the path of each module (`crate::a::b`; the root is `crate`), the paths of those it
        uses.

    Examples
    --------
    >>> sorted(graph(Path("crates/types")))[0]
    'crate'
    """
    files = {name_of(path, crate / "src"): path for path in sorted((crate / "src").rglob("*.rs"))}
    return {
        name: {used for used in targets(name, path.read_text(), set(files)) if used != name}
        for name, path in files.items()
    }


def name_of(path: Path, source: Path) -> str:
    """Return the path of the module in a file: `src/a/b.rs` contains `crate::a::b`."""
    parts = path.relative_to(source).with_suffix("").parts
    if parts[-1] in ("mod", "lib", "main"):
        parts = parts[:-1]
    return "::".join(("crate", *parts))


def targets(module: str, text: str, known: set[str]) -> Iterator[str]:
    """Yield the modules to which the paths in a module lead."""
    code = without_inline(without_noise(text))
    for tree in USE.findall(code):
        for path in expanded(re.sub(r"\s+", "", re.sub(r"\bas \w+", "", tree))):
            yield from target(module, path.split("::"), known)
    for path in PATH.findall(USE.sub("", code)):
        yield from target(module, path.split("::"), known)


def without_noise(text: str) -> str:
    """Return code without comments and literals."""
    return NOISE.sub(" ", text)


def without_inline(code: str) -> str:
    """Return code without the items of tests and without inline modules."""
    for pattern in (TEST_ITEM, INLINE):
        while found := pattern.search(code):
            end = found.end() if found.group().endswith(";") else closing(code, found.end())
            code = code[: found.start()] + code[end:]
    return code


def closing(code: str, start: int) -> int:
    """Return the end of the block whose opening brace is just before `start`."""
    depth = 1
    while depth and start < len(code):
        depth += {"{": 1, "}": -1}.get(code[start], 0)
        start += 1
    return start


def expanded(tree: str) -> Iterator[str]:
    """Yield the single paths in the tree of a `use`, without blanks.

    >>> list(expanded("a::{b,c::{d,self}}"))
    ['a::b', 'a::c::d', 'a::c::self']
    """
    before, brace, rest = tree.partition("{")
    if not brace:
        yield tree
        return
    for part in split(rest[: rest.rindex("}")]):
        yield from expanded(before + part)


def split(text: str) -> Iterator[str]:
    """Yield the parts of a list, which commas outside of braces separate."""
    depth, start = 0, 0
    for place, character in enumerate(text):
        depth += {"{": 1, "}": -1}.get(character, 0)
        if character == "," and depth == 0:
            yield text[start:place]
            start = place + 1
    if text[start:]:
        yield text[start:]


def target(module: str, path: list[str], known: set[str]) -> Iterator[str]:
    """Yield the module to which a path leads, if it belongs to this crate."""
    base = module.split("::")
    if path[0] == "crate":
        base, path = ["crate"], path[1:]
    elif path[0] in ("self", "super"):
        while path and path[0] in ("self", "super"):
            base = base[:-1] if path[0] == "super" else base
            path = path[1:]
    elif f"{module}::{path[0]}" not in known:
        return
    while path and "::".join([*base, path[0]]) in known:
        base, path = [*base, path[0]], path[1:]
    yield "::".join(base)
