"""Congestion controls that the testbed brings as BPF programs: Westwood+ and a restarting CUBIC.

A congestion control is registered for the whole machine, so every run registers it under its own
name and removes it at its end. A kernel's own control of the same name is used where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from airmile._errors import OutputError
from airmile.testbed.experiment import controls
from airmile.testbed.hosts import clang, leftovers
from airmile.testbed.hosts.owner import Owner

T = TypeVar("T")


def known(settings: T, mark: str) -> T:
    """Register the programs that nested settings name, and give the settings with their names.

    Raises
    ------
    OutputError
        A program that compiles or loads one is missing.
    """
    wanted = set(controls.used(settings)) & set(controls.BROUGHT)
    for name in sorted(wanted - set(controls.AVAILABLE.read_text().split())):
        settings = controls.renamed(settings, name, _register(name, mark))
    return settings


def _register(control: str, mark: str) -> str:
    owner = Owner.of(mark)
    # A name has 15 characters at most (TCP_CA_NAME_MAX in include/net/tcp.h is 16 with the end).
    name = f"{controls.BROUGHT[control]}{owner.pid if owner else 0}"
    program = leftovers.STATE / mark / f"{control}.o"
    leftovers.note(mark, _note(control), name)
    try:
        clang.check()
        clang.compile_source(f"{control}.bpf.c", program, {"NAME": name})
        clang.tool("bpftool", "struct_ops", "register", str(program))
    except clang.MissingError as error:
        raise OutputError(
            f'congestion_control = "{control}": {error}', "choose cubic, reno or bbr"
        ) from None
    return name


def _note(control: str) -> str:
    return f"congestion_control_{control}"


@leftovers.register
def unregister(mark: str) -> Iterator[str]:
    """Remove the congestion controls that a run has registered.

    Raises
    ------
    OutputError
        bpftool is gone, or refuses.
    """
    for control in controls.BROUGHT:
        name = leftovers.noted(mark, _note(control))
        if name and name in controls.AVAILABLE.read_text().split():
            try:
                clang.tool("bpftool", "struct_ops", "unregister", "name", name)
            except clang.MissingError as error:
                raise OutputError(f"congestion control {name}: {error}") from None
            yield f"congestion control {name}"
