"""Draw comments and user-facing texts at random, for a reader who does not know the project.

``python -m tools.sample_texts --seed 7 --comments 40 --texts 20 --tree DIR`` prints them as
Markdown. Half of the comments are of Rust, half of Python; the texts are in equal parts help texts,
error messages, sentences of reports and paragraphs of guides. A comment comes with the lines of
code that follow it. The same seed draws the same samples from the same tree.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

CODE = ("crates", "python", "tests", "tools", "benches", "fuzz")
GUIDES = ("README.md", "docs/guide")
REPORTS = ("python/airmile/render", "python/airmile/causes", "python/airmile/draw")
CONTEXT_LINES = 3
SENTENCE_WORDS = 4
"""The words that a string of a report has at least; a shorter one is a name or a heading."""

_Definition = ast.Module | ast.ClassDef | ast.FunctionDef

_RUST_COMMENT = re.compile(r"\s*//[/!]?(?!/)\s?(.*)")
_RUST_ERROR = re.compile(r'(?:#\[error\(|\bErr\(format!\(|\bbail!\()\s*"((?:[^"\\]|\\.)*)"')
_PYTHON_COMMENT = re.compile(r"\s*#(?!!)\s?(?!noqa|type:|fmt:|pragma|ruff:)(.*)")


@dataclass(frozen=True)
class Sample:
    """A text, its kind, the code that follows it, and where it is in the tree."""

    kind: str
    text: str
    code: str
    place: str

    def markdown(self) -> str:
        """Write the sample without its place.

        >>> print(Sample("Rust comment", "The delay, in seconds.", "delay_s: f64,", "a.rs:1")
        ...     .markdown())
        *Rust comment*
        <BLANKLINE>
        > The delay, in seconds.
        <BLANKLINE>
            delay_s: f64,
        """
        quoted = "\n".join(f"> {line}".rstrip() for line in self.text.splitlines())
        code = "\n".join(f"    {line}" for line in self.code.splitlines())
        return f"*{self.kind}*\n\n{quoted}" + (f"\n\n{code}" if code else "")


def main() -> int:
    """Print the samples as the options ask for them."""
    options = _options()
    for number, sample in enumerate(draw(options.tree, options), start=1):
        place = f" {sample.place}" if options.places else ""
        print(f"## {number}{place}\n\n{sample.markdown()}\n")
    return 0


def draw(tree: Path, options: argparse.Namespace) -> list[Sample]:
    """Draw ``options.comments`` comments and ``options.texts`` texts of a tree by the seed."""
    chance = random.Random(options.seed)
    comments = [[*rust_comments(tree)], [*python_comments(tree)]]
    texts = [[*helps(tree)], [*errors(tree)], [*reports(tree)], [*guides(tree)]]
    return [
        *_from_each(chance, comments, options.comments),
        *_from_each(chance, texts, options.texts),
    ]


def rust_comments(tree: Path) -> Iterator[Sample]:
    """Find the comments of Rust files: each run of lines that begin with slashes."""
    for path in _files(tree, CODE, ".rs"):
        yield from _runs(tree, path, _RUST_COMMENT, "Rust comment")


def python_comments(tree: Path) -> Iterator[Sample]:
    """Find the comments and docstrings of Python files."""
    for path in _files(tree, CODE, ".py"):
        yield from _runs(tree, path, _PYTHON_COMMENT, "Python comment")
        lines = path.read_text(encoding="utf-8").splitlines()
        for node in ast.walk(_parsed(path)):
            if isinstance(node, _Definition) and (text := ast.get_docstring(node)):
                yield _documented(tree, path, lines, node, text)


def helps(tree: Path) -> Iterator[Sample]:
    """Find the help of the options and verbs of the command line."""
    for path, node in _nodes(tree, ("python/airmile/cli", "python/airmile/testbed")):
        if isinstance(node, ast.keyword) and node.arg in ("help", "description", "epilog"):
            yield from _text(tree, path, node.value, "help text")


def errors(tree: Path) -> Iterator[Sample]:
    """Find the messages of errors, in Python and in Rust."""
    for path, node in _nodes(tree, ("python",)):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            for argument in node.exc.args[:1]:
                yield from _text(tree, path, argument, "error message")
    for path in _files(tree, ("crates",), ".rs"):
        source = path.read_text(encoding="utf-8")
        for found in _RUST_ERROR.finditer(source):
            text = re.sub(r"\\\n\s*", "", found[1])
            yield _sample(tree, path, source.count("\n", 0, found.start()) + 1, text)


def reports(tree: Path) -> Iterator[Sample]:
    """Find the sentences that reports and pictures are made of."""
    for path, node in _nodes(tree, REPORTS):
        if isinstance(node, ast.Return | ast.Assign) and node.value:
            yield from _text(tree, path, node.value, "report")


def guides(tree: Path) -> Iterator[Sample]:
    """Find the paragraphs of the README and the guides; no code, tables or headings."""
    for path in _files(tree, GUIDES, ".md"):
        prose = re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
        for text in re.split(r"\n\s*\n", prose):
            if text.strip() and text.lstrip()[0] not in "#|<[!":
                yield Sample("guide", text.strip(), "", str(path.relative_to(tree)))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seed", type=int, default=7, help="of the drawing [%(default)s]")
    parser.add_argument("--comments", type=int, default=40, help="number [%(default)s]")
    parser.add_argument("--texts", type=int, default=20, help="number [%(default)s]")
    parser.add_argument("--tree", type=Path, default=Path(), help="root of the tree [this folder]")
    parser.add_argument("--places", action="store_true", help="show the file and line of each")
    return parser.parse_args()


def _from_each(chance: random.Random, groups: list[list[Sample]], count: int) -> list[Sample]:
    """Draw from each group its part of the count; what remains is drawn from the first groups."""
    part, more = divmod(count, len(groups))
    return [
        sample
        for number, group in enumerate(groups)
        for sample in chance.sample(group, min(len(group), part + (number < more)))
    ]


def _files(tree: Path, folders: tuple[str, ...], suffix: str) -> Iterator[Path]:
    for folder in folders:
        path = tree / folder
        yield from [path] if path.is_file() else sorted(path.rglob(f"*{suffix}"))


def _nodes(tree: Path, folders: tuple[str, ...]) -> Iterator[tuple[Path, ast.AST]]:
    for path in _files(tree, folders, ".py"):
        yield from ((path, node) for node in ast.walk(_parsed(path)))


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _runs(tree: Path, path: Path, comment: re.Pattern[str], kind: str) -> Iterator[Sample]:
    """Find each run of whole-line comments, with the lines of code that follow it."""
    run: list[str] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    for number, line in enumerate([*lines, ""]):
        if said := comment.fullmatch(line):
            run.append(said[1])
        elif run:
            first = number - len(run) + 1
            yield _sample(tree, path, first, "\n".join(run), kind, _code(lines, number))
            run = []


def _documented(tree: Path, path: Path, lines: list[str], node: _Definition, text: str) -> Sample:
    """Make the sample of a docstring: with the definition's first line, and lines of its body."""
    first = 1 if isinstance(node, ast.Module) else node.lineno
    end = node.body[0].end_lineno or first
    code = _code(lines, end)
    if not isinstance(node, ast.Module):
        code = "\n".join([lines[first - 1], *code.splitlines()][:CONTEXT_LINES])
    return _sample(tree, path, first, text, "Python docstring", code)


def _code(lines: list[str], start: int) -> str:
    following = (line for line in lines[start:] if line.strip())
    return "\n".join(line for line, _ in zip(following, range(CONTEXT_LINES), strict=False))


def _text(tree: Path, path: Path, node: ast.expr, kind: str) -> Iterator[Sample]:
    """Give a string of the code; what is filled in is shown by its expression, in braces."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        text = node.value
    elif isinstance(node, ast.JoinedStr):
        text = "".join(_part(part) for part in node.values)
    else:
        return
    if len(text.split()) >= SENTENCE_WORDS:
        yield _sample(tree, path, node.lineno, text, kind)


def _part(part: ast.expr) -> str:
    if isinstance(part, ast.FormattedValue):
        return "{" + ast.unparse(part.value) + "}"
    return str(part.value) if isinstance(part, ast.Constant) else ""


def _sample(
    tree: Path, path: Path, line: int, text: str, kind: str = "error message", code: str = ""
) -> Sample:
    return Sample(kind, text, code, f"{path.relative_to(tree)}:{line}")


if __name__ == "__main__":
    sys.exit(main())
