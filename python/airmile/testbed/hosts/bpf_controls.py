"""Congestion controls that are BPF programs of the testbed: Westwood+ and restarting variants.

A congestion control is registered for the whole machine. So every run registers it under a name of
its own and removes it at the end. If the kernel has a control of that name itself, this one is
used.
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
    """Register the BPF controls that settings name; return the settings with the new names.

    Raises
    ------
    OutputError
        A program that compiles or loads the BPF programs is missing.
    """
    wanted = set(controls.used(settings)) & set(controls.BROUGHT)
    for name in sorted(wanted - set(controls.AVAILABLE.read_text().split())):
        settings = controls.renamed(settings, name, _register(name, mark))
    return settings


def _register(control: str, mark: str) -> str:
    # A name has at most 15 characters: TCP_CA_NAME_MAX (include/net/tcp.h) is 16 with the final 0.
    name = f"{controls.BROUGHT[control]}{mark}"
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


@leftovers.register_finder
def found() -> Iterator[tuple[str, str]]:
    """Yield the mark and the name of each congestion control that a run has registered."""
    for name in controls.AVAILABLE.read_text().split():
        for beginning in controls.BROUGHT.values():
            if name.startswith(beginning):
                yield name.removeprefix(beginning), f"congestion control {name}"


@leftovers.register
def unregister(owner: Owner) -> Iterator[str]:
    """Remove the congestion controls that a run has registered, and yield their names.

    Raises
    ------
    OutputError
        bpftool is missing or refuses.
    """
    for control in controls.BROUGHT:
        name = leftovers.noted(owner.mark, _note(control))
        if name and name in controls.AVAILABLE.read_text().split():
            try:
                clang.tool("bpftool", "struct_ops", "unregister", "name", name)
            except clang.MissingError as error:
                raise OutputError(f"congestion control {name}: {error}") from None
            yield f"congestion control {name}"
