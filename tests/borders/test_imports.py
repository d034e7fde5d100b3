"""Imports between the crates point one way only (CONTRIBUTING.md, "Where things live")."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

ORDER = ("types", "read", "track", "radio", "verdict", "analyze", "dataset")
"""The crates in the order of the data; each crate may import those before it."""


def up_to(crate: str) -> set[str]:
    """Return the crates of `ORDER` up to one of them.

    >>> sorted(up_to("read"))
    ['airmile-read', 'airmile-types']
    """
    return {f"airmile-{name}" for name in ORDER[: ORDER.index(crate) + 1]}


MAY_IMPORT = {
    **{f"airmile-{name}": up_to(name) - {f"airmile-{name}"} for name in ORDER},
    "airmile-link": {"airmile-types"},
    "airmile-python": {"airmile-types", "airmile-dataset", "airmile-link"},
    "airmile-fuzz": up_to("analyze"),
    "airmile-bench": up_to("dataset"),
    "airmile-share": set(),
}
"""The crates of the project that each crate may import."""

FOR_TESTS = "airmile-share"
"""The crate that the tests of every crate may import."""


@pytest.fixture(scope="module")
def imports() -> dict[str, set[str]]:
    """Return the crates of the project that each crate imports, including its tests."""
    words = ["cargo", "metadata", "--format-version", "1", "--no-deps", "--locked", "--offline"]
    document = json.loads(subprocess.run(words, cwd=ROOT, check=True, capture_output=True).stdout)
    return {
        package["name"]: {
            dependency["name"]
            for dependency in package["dependencies"]
            if dependency["name"].startswith("airmile-") and dependency["name"] != FOR_TESTS
        }
        for package in document["packages"]
        if package["name"].startswith("airmile-")
    }


def test_every_crate_has_its_place(imports: dict[str, set[str]]) -> None:
    assert set(imports) <= set(MAY_IMPORT)


@pytest.mark.parametrize("crate", MAY_IMPORT)
def test_a_crate_imports_only_what_stands_before_it(
    crate: str, imports: dict[str, set[str]]
) -> None:
    assert imports.get(crate, set()) <= MAY_IMPORT[crate]


def test_only_tests_run_a_share() -> None:
    for path in sorted((ROOT / "crates").glob("*/Cargo.toml")):
        built = path.read_text().split("[dev-dependencies]")[0]
        assert FOR_TESTS not in built or path.parent.name == "share", path


def test_only_the_binding_knows_python(imports: dict[str, set[str]]) -> None:
    text = {
        path.parent.name: path.read_text()
        for path in sorted((ROOT / "crates").glob("*/Cargo.toml"))
    }
    assert [name for name, manifest in text.items() if "pyo3" in manifest] == ["python"]


OPENS_DUCKDB = re.compile(r"duckdb\.(connect|sql|query|execute|from_\w+|read_\w+)\(")


def test_only_one_place_opens_duckdb() -> None:
    """Any other connection would not be kept from files, extensions and settings."""
    package = ROOT / "python" / "airmile"
    opens = [path for path in package.rglob("*.py") if OPENS_DUCKDB.search(path.read_text())]
    assert [path.name for path in opens] == ["_sql.py"]


ANALYSIS = """import sys
from airmile import _engine, cli

def loaded():
    return sorted({"duckdb", "pyarrow", "numpy", "matplotlib"} & set(sys.modules))

def watched(*words, run=_engine.analyze):
    place = run(*words)
    seen.append(loaded())
    return place

seen = []
_engine.analyze = watched
code = cli.run(["analyze", sys.argv[1], "-o", sys.argv[2]])
print(code, *seen, loaded(), file=sys.stderr)"""
"""A program that prints which modules are loaded after the engine, and after the verdict."""


def test_the_engine_runs_without_the_heavy_libraries(tmp_path: Path) -> None:
    capture = ROOT / "tests" / "data" / "emu" / "a_link_cubic" / "monitor.pcap.gz"
    words = [sys.executable, "-c", ANALYSIS, str(capture), str(tmp_path / "link.airmile")]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    assert "Limited by" in done.stdout
    assert done.stderr.splitlines()[-1] == "0 [] []"
