"""Exceptions keep their fields through pickling, copying and raising them again."""

from __future__ import annotations

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Iterator

import pytest

import airmile
from airmile import _engine
from airmile._errors import ArgumentError
from airmile._signals import Ended
from airmile.store._needs import Missing

OURS = (
    *(airmile.AirmileError, airmile.InputError, airmile.UsageError, airmile.OutputError),
    *(ArgumentError, Missing),
)


@pytest.mark.parametrize("kind", OURS)
def test_message_and_hint_are_kept(kind: type[airmile.AirmileError]) -> None:
    error = kind("x.pcap: empty", "record again")
    error.add_note("while reading")
    for again in (pickle.loads(pickle.dumps(error)), copy.copy(error), copy.deepcopy(error)):
        assert type(again) is kind
        assert (again.message, again.hint) == ("x.pcap: empty", "record again")
        assert again.exit_code == kind.exit_code and again.__notes__ == ["while reading"]
        assert str(again) == "x.pcap: empty\nhint: record again"
    assert str(kind("x.pcap: empty")) == "x.pcap: empty"


def test_an_error_that_is_raised_again_has_its_hint() -> None:
    error = airmile.InputError("x.pcap: empty", "record again")
    with pytest.raises(airmile.InputError) as caught:
        try:
            raise error
        except airmile.AirmileError as first:
            raise pickle.loads(pickle.dumps(first)) from first
    assert caught.value.hint == "record again"


@pytest.mark.parametrize("name", ["UsageError", "InputError", "OutputError"])
def test_errors_of_the_engine_keep_their_attributes(name: str) -> None:
    error = getattr(_engine, name)("x")
    error.message, error.hint = "x", "y"
    again = pickle.loads(pickle.dumps(error))
    assert (again.message, again.hint) == ("x", "y")


def test_a_signal_keeps_its_number() -> None:
    assert pickle.loads(pickle.dumps(Ended(15))).number == 15


def test_every_exception_of_the_package_can_be_pickled() -> None:
    known = {*OURS, Ended}
    for kind in exceptions():
        if kind not in known:
            own = "__init__" in vars(kind)
            error = kind(*("what",) * (len(inspect.signature(kind).parameters) if own else 1))
            again = pickle.loads(pickle.dumps(error))
            assert (again.args, vars(again)) == (error.args, vars(error)), kind


def exceptions() -> Iterator[type[BaseException]]:
    """Yield the exceptions that modules of the package define."""
    for module in pkgutil.walk_packages(airmile.__path__, "airmile."):
        if module.name.endswith("__main__") or ".study." in module.name:
            continue
        for kind in vars(importlib.import_module(module.name)).values():
            ours = isinstance(kind, type) and kind.__module__ == module.name
            if ours and issubclass(kind, BaseException):
                yield kind
