"""Every package that users install has two bounds, and both ends are tested."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from airmile.campaign.requirements import PACKAGES

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = {name: of for name, of in PROJECT["optional-dependencies"].items() if name != "dev"}
INSTALLED = [
    Requirement(text) for texts in (PROJECT["dependencies"], *EXTRAS.values()) for text in texts
]


def pinned(name: str) -> dict[str, set[str]]:
    """Return the versions of each package in a file of pins."""
    found: dict[str, set[str]] = {}
    for package, version in re.findall(
        r"(?m)^([\w.-]+)==(\S+)", (ROOT / "tools" / name).read_text()
    ):
        found.setdefault(package, set()).add(version)
    return found


def test_each_has_a_lower_bound_that_is_pinned_and_an_upper_one_above_the_newest() -> None:
    oldest, newest = pinned("requirements-oldest.txt"), pinned("requirements.txt")
    for each in INSTALLED:
        ends = {one.operator: one.version for one in each.specifier}
        assert set(ends) == {">=", "<"}, each
        (lowest,) = oldest[each.name]
        assert lowest in SpecifierSet(f"=={ends['>=']}.*"), f"make pins: {each}, {lowest}"
        assert all(version in each.specifier for version in newest[each.name]), each


def test_hints_name_the_same_bounds() -> None:
    known = {each.name: each.specifier for each in INSTALLED}
    assert {name: Requirement(text).specifier for name, text in PACKAGES.items()} == {
        name: known[name] for name in PACKAGES
    }
