"""Copies every dataset at the moment when the engine has put it in its place.

Python imports this module when it starts, if its folder is in PYTHONPATH; so the copies are also
made in processes that tests start. The copies go to the folder that AIRMILE_LEFT names.
"""

from __future__ import annotations

import functools
import importlib.abc
import importlib.machinery
import os
import shutil
import sys
import uuid
from collections.abc import Callable, Sequence
from contextlib import suppress
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

ENGINE = "airmile._engine"


def watch(engine: ModuleType, room: Path) -> None:
    """Copy what the functions of the engine put in its place from now on."""
    for name in ("analyze", "radio", "put"):
        setattr(engine, name, _watched(getattr(engine, name), room))


def _watched(function: Callable[..., Any], room: Path) -> Callable[..., Any]:
    @functools.wraps(function)
    def watched(*given: Any, **named: Any) -> Any:
        try:
            place = function(*given, **named)
        except BaseException as error:
            _copy(getattr(error, "kept", None), room)
            raise
        _copy(place, room)
        return place

    return watched


def _copy(place: Path | None, room: Path) -> None:
    """Copy a dataset; a disk that a test has filled, or a call that it lets fail, is no fault."""
    if place is not None:
        half = room / f".{uuid.uuid4().hex}"
        with suppress(OSError):
            shutil.copytree(place, half / place.name)
            half.rename(room / half.name.removeprefix("."))


class _Finder(importlib.abc.MetaPathFinder):
    """Watches the engine as soon as it is imported."""

    def __init__(self, room: Path) -> None:
        self._room = room

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of the engine, which is watched after it was executed."""
        if name != ENGINE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path)
        if spec is not None and spec.loader is not None:
            execute, room = spec.loader.exec_module, self._room

            def executed(module: ModuleType) -> None:
                execute(module)
                watch(module, room)

            spec.loader.exec_module = executed  # type: ignore[method-assign]
        return spec


if "AIRMILE_LEFT" in os.environ and __name__ == "sitecustomize":
    sys.meta_path.insert(0, _Finder(Path(os.environ["AIRMILE_LEFT"])))
