"""The modules of a Rust crate have no import cycles.

`tools.rust_modules` reads from the sources which modules a module uses.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.circles import circles
from tools.rust_modules import graph

ROOT = Path(__file__).parents[2]
CRATES = sorted(path.parent.name for path in (ROOT / "crates").glob("*/Cargo.toml"))


@pytest.mark.parametrize("crate", CRATES)
def test_no_module_uses_itself_in_a_circle(crate: str) -> None:
    assert list(circles(graph(ROOT / "crates" / crate))) == []


def test_a_circle_of_files_is_found(tmp_path: Path) -> None:
    write(tmp_path, "lib.rs", "mod a;\nmod b;\nmod c;\n")
    write(tmp_path, "a.rs", "use crate::b::{self, Two};\npub struct One(Two);\n")
    write(tmp_path, "b.rs", "pub struct Two(Box<super::a::One>); // crate::c\n")
    write(tmp_path, "c.rs", "use crate::a::One;\n#[cfg(test)]\nmod tests { use super::*; }\n")
    assert list(circles(graph(tmp_path))) == [["crate::a", "crate::b"]]


def test_a_module_that_uses_the_one_above_it_is_found(tmp_path: Path) -> None:
    write(tmp_path, "lib.rs", "mod a;\npub use a::One;\npub struct Two;\n")
    write(tmp_path, "a.rs", "pub struct One(crate::Two);\n")
    assert list(circles(graph(tmp_path))) == [["crate", "crate::a"]]


def write(folder: Path, name: str, text: str) -> None:
    """Write one file of an invented crate."""
    (folder / "src").mkdir(exist_ok=True)
    (folder / "src" / name).write_text(text)
