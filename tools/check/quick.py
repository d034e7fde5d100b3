"""The steps for what the present change touches: its lints, and the tests that may tell of it.

A change is what differs from the commit at which the branch left ``main``, with everything that is
not committed yet; a file that is gone has changed, too. A touched crate is tested with all crates
that depend on it. A touched file of the package is tested by its own doctests, by the tests that
have the name of its folder or verb, and by the test files that import from its folder; a touched
test file by itself, and another file beside tests by the tests of its folder. Files of
``tests/data`` are tested by all that read some of them. What all crates or all tests depend on is
tested by all of them. The rest is left to ``make test``.
"""

from __future__ import annotations

import ast
import json
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from pathlib import Path

from tools.check.lints import RUFF, clippy, reference, rust_format, types
from tools.check.outcome import ROOT, Step, command
from tools.check.suites import pytest, tests_of_crates

BY_THE_ENGINE = ("tests/cases", "tests/verdict", "tests/borders")
"""What is run of the Python tests when a crate that the engine consists of is touched."""

BY_ALL_CRATES = ("Cargo.toml", "Cargo.lock", "clippy.toml")
"""What holds for all crates."""

DATA = Path("tests/data")
"""The folder of captures, logs and truth that tests of Python and Rust read."""

BY_EVERYTHING = ("tests/borders",)
"""What holds for the project as a whole, and so is run after each change."""


def quick() -> Iterator[Sequence[Sequence[Step]]]:
    """Yield the stages: lints beside each other, then tests."""
    paths = changed()
    crates = dependents(touched_crates(paths))
    tests = python_tests(paths)
    yield [rust_lints(crates), python_lints(paths)]
    rust: list[Step] = []
    if crates:
        names = ", ".join(crate.removeprefix("airmile-") for crate in crates)
        rust = [(f"Rust tests of {names}", lambda: tests_of_crates(crates))]
    title = f"Python tests of {len(tests)} files and folders"
    yield [[*rust, (title, lambda: pytest(*tests, may_be_none=True))]]


def rust_lints(crates: Sequence[str]) -> list[Step]:
    """Return the lints of Rust; none where no crate is touched.

    Clippy keeps what it found in a crate that did not change. For some crates alone it would first
    check their dependencies anew, with the features that these crates need.
    """
    return [rust_format(), clippy()] if crates else []


def python_lints(paths: Iterable[Path]) -> list[Step]:
    """Return the lints of the touched modules, and the check of types, which keeps the rest."""
    modules = [path for path in paths if path.suffix == ".py"]
    there = [str(path) for path in modules if (ROOT / path).is_file()]
    style = [
        ("Python is formatted (ruff)", command(RUFF, "format", "--check", *there)),
        ("Python lints (ruff)", command(RUFF, "check", *there)),
    ]
    return [*(style if there else []), *([types()] if modules else []), reference()]


def changed() -> list[Path]:
    """Return the files that differ from ``main``, relative to the project; some may be gone."""
    base = git("merge-base", "HEAD", "origin/main") or git("merge-base", "HEAD", "main") or ["HEAD"]
    names = [
        *git("diff", "--name-only", "--no-renames", *base),
        *git("ls-files", "--others", "--exclude-standard"),
    ]
    return [Path(name) for name in sorted({*names})]


def git(*words: str) -> list[str]:
    """Return the lines that git prints; none where it fails."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def touched_crates(paths: Sequence[Path]) -> set[str]:
    """Return the names of the crates in which a file is, or whose tests read it.

    >>> touched_crates([Path("crates/read/src/lib.rs"), Path("python/airmile/__init__.py")])
    {'airmile-read'}
    """
    found = {f"airmile-{path.parts[1]}" for path in paths if path.parts[0] == "crates"}
    if any(path.is_relative_to("benches") and path.suffix != ".py" for path in paths):
        found.add("airmile-bench")
    if any(path.is_relative_to(DATA) for path in paths):
        found |= crates_that_mention(str(DATA))
    if any(str(path) in BY_ALL_CRATES for path in paths):
        found |= crates_that_mention("")
    return found


def crates_that_mention(text: str) -> set[str]:
    """Return the names of the crates with a source that holds a text.

    >>> sorted(crates_that_mention("tests/data"))
    ['airmile-radio', 'airmile-read']
    """
    sources = [path for path in (ROOT / "crates").rglob("*.rs") if text in path.read_text()]
    return {f"airmile-{path.relative_to(ROOT).parts[1]}" for path in sources}


def dependents(crates: set[str]) -> list[str]:
    """Return crates and all that depend on them.

    >>> dependents({"airmile-dataset"})
    ['airmile-bench', 'airmile-dataset', 'airmile-python']
    """
    words = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"]
    document = json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout)
    imports = {
        package["name"]: {each["name"] for each in package["dependencies"]}
        for package in document["packages"]
    }
    found = set(crates) & set(imports)
    while more := {name for name, needs in imports.items() if needs & found} - found:
        found |= more
    return sorted(found)


def python_tests(paths: Sequence[Path]) -> list[str]:
    """Return the files and folders that pytest is to run.

    >>> python_tests([Path("tests/align/test_alignment_clocks.py")])
    ['tests/align/test_alignment_clocks.py', 'tests/borders']
    """
    found = {*BY_EVERYTHING}
    if touched_crates(paths) - {"airmile-link", "airmile-fuzz", "airmile-share"}:
        found |= {*BY_THE_ENGINE}
    for path in paths:
        found |= {*tests_of(path)}
    return sorted(name for name in found if (ROOT / name).exists())


def tests_of(path: Path) -> Iterator[str]:
    """Yield the tests of a file; a file of the package is tested by what imports from its folder.

    >>> verb = list(tests_of(Path("python/airmile/cli/flows.py")))
    >>> verb[0], verb[-1]
    ('python/airmile/cli/flows.py', 'tests/cli/test_flows.py')
    """
    if path.name == "conftest.py":
        yield from ("python/airmile", "tests") if path.parent == Path() else (str(path.parent),)
    elif path.parts[0] == "python":
        if path.suffix == ".py":
            yield str(path)
        yield from importers(".".join(path.parts[1:3]).removesuffix(".py"))
        yield from named_after(path)
    elif path.suffix == ".py":
        yield from tests_of_module(path)
    elif path.parts[0] == "tests":
        yield from readers() if path.is_relative_to(DATA) else folder_of_tests(path)


def tests_of_module(path: Path) -> Iterator[str]:
    """Yield a module beside the package if it has tests, and the tests that import it."""
    if path.parts[0] == "tests":
        yield str(path)
    if not path.name.startswith("test_"):
        yield from importers(".".join(path.with_suffix("").parts))


def readers() -> Iterator[str]:
    """Yield the tests that read files of `DATA`, or import a module that does.

    >>> {"tests/cases/test_cases.py", "tests/score/test_bandwidth.py"} <= {*readers()}
    True
    """
    for path in (ROOT / "tests").rglob("*.py"):
        if f'"{DATA.name}"' in path.read_text() and path.name != "conftest.py":
            yield from tests_of_module(path.relative_to(ROOT))


def folder_of_tests(path: Path) -> Iterator[str]:
    """Yield the innermost folder round a file that holds tests, if it is below ``tests``.

    >>> list(folder_of_tests(Path("tests/cases/one/case.toml")))
    ['tests/cases']
    """
    folders = [each for each in path.parents if each.is_relative_to("tests")][:-1]
    yield from [str(each) for each in folders if any((ROOT / each).glob("test_*.py"))][:1]


def named_after(path: Path) -> Iterator[str]:
    """Yield the tests that have the name of a folder of the package, or of a verb."""
    verb = path.parts[2] == "cli"
    tests = Path("tests/cli") / f"test_{path.name}" if verb else Path("tests") / path.parts[2]
    if (ROOT / tests).exists():
        yield str(tests)


def importers(name: str) -> Iterator[str]:
    """Yield the test files that import a module, or something in it.

    >>> "tests/uplink/test_upload.py" in importers("airmile.uplink")
    True
    """
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        if any(f"{each}.".startswith(f"{name}.") for each in imported(path)):
            yield str(path.relative_to(ROOT))


@cache
def imported(path: Path) -> Sequence[str]:
    """Return the full names of what a module imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += (f"{node.module}.{alias.name}" for alias in node.names)
    return names
