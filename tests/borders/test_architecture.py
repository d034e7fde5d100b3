"""Paths, types, crates and packages that ARCHITECTURE.md names exist, and none is missing."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "ARCHITECTURE.md").read_text()
TICKED = re.findall(r"`([^`]+)`", PAGE)
PATHS = sorted({name for name in TICKED if re.fullmatch(r"[\w./-]+/[\w./-]*", name)})
WALKS = [line.split("|")[1:-1] for line in PAGE.splitlines() if line.count("|") == 5]
TYPES = sorted({name for walk in WALKS for name in re.findall(r"`([A-Z]\w+)`", walk[2])})


@pytest.mark.parametrize("path", PATHS)
def test_a_path_exists(path: str) -> None:
    assert (ROOT / path).exists()


@pytest.mark.parametrize("name", TYPES)
def test_a_type_that_is_handed_on_is_declared(name: str) -> None:
    words = [
        "git",
        "grep",
        "-qE",
        rf"\b(struct|enum|class|type) {name}\b",
        "--",
        "crates",
        "python",
    ]
    assert subprocess.run(words, cwd=ROOT, check=False).returncode == 0


def test_every_crate_is_named() -> None:
    crates = {path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml")}
    assert {crate for crate in crates if f"crates/{crate}" not in PAGE} == set()


def test_every_package_is_named() -> None:
    package = ROOT / "python" / "airmile"
    packages = {path.parent.name for path in package.glob("*/__init__.py")}
    assert {name for name in packages if f"python/airmile/{name}" not in PAGE} == set()


def test_the_walks_are_there() -> None:
    assert len([walk for walk in WALKS if walk[0].strip() == "step"]) == 3
