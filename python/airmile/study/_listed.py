"""Finds the exhibits of a paper among the modules of the paper's package."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable, Iterator

from airmile.study._exhibit import Exhibit


def listed(package: str) -> tuple[dict[str, Exhibit], Callable[[str], Exhibit]]:
    """Return the exhibits that the modules of a package define, and the package's `__getattr__`.

    The exhibits are by name, in the order of the paper; `__getattr__` makes each an attribute.

    Each module defines one figure or table, except for modules whose names begin with `_`.

    Examples
    --------
    >>> exhibits, attribute = listed("airmile.study.eff14")
    >>> list(exhibits)
    ['fig1', 'fig2', 'fig3', 'fig4', 'table1', 'model', 'fig5', 'fig6', 'fig6b']
    >>> attribute("fig5") is exhibits["fig5"]
    True
    """
    exhibits = {exhibit.name: exhibit for exhibit in sorted(_defined(package), key=_place)}

    def attribute(name: str) -> Exhibit:
        if name in exhibits:
            return exhibits[name]
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return exhibits, attribute


def _defined(package: str) -> Iterator[Exhibit]:
    parent = importlib.import_module(package)
    for found in pkgutil.iter_modules(parent.__path__):
        if not found.name.startswith("_"):
            module = importlib.import_module(f"{package}.{found.name}")
            yield from (each for each in vars(module).values() if isinstance(each, Exhibit))


def _place(exhibit: Exhibit) -> tuple[bool, str, str, int, str]:
    """Return the key that sorts exhibits: by section, figures before tables, numbers last.

    >>> from airmile.study.lte13.numbers import numbers
    >>> _place(numbers)[0]
    True
    """
    section = exhibit.section.split()[1]
    kind, number, letter = re.findall(r"([a-z]+)(\d*)(\w*)", exhibit.name)[0]
    return exhibit.name == "numbers", section, kind, int(number or 0), letter
