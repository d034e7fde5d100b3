"""TCP Westwood+ as a BPF program, for ``congestion_control = "westwood"``.

A congestion control is registered for the whole machine, so every run registers it under its own
name and removes it at its end. A `westwood` of the kernel's own is used where there is one.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from airmile._errors import OutputError
from airmile.testbed.experiment import controls
from airmile.testbed.hosts import clang, leftovers
from airmile.testbed.hosts.owner import Owner

NAME = controls.WESTWOOD

_NOTE = "congestion_control"

T = TypeVar("T")


def known(settings: T, mark: str) -> T:
    """Register the program, and give nested settings with its name in the kernel.

    Raises
    ------
    OutputError
        A program that compiles or loads it is missing.
    """
    if NAME not in controls.used(settings) or NAME in controls.AVAILABLE.read_text().split():
        return settings
    named: T = controls.renamed(settings, NAME, _register(mark))
    return named


def _register(mark: str) -> str:
    owner = Owner.of(mark)
    # A name has 15 characters at most (TCP_CA_NAME_MAX in include/net/tcp.h is 16 with the end).
    name = f"{controls.OURS}{owner.pid if owner else 0}"
    program = leftovers.STATE / mark / "westwood.o"
    leftovers.note(mark, _NOTE, name)
    try:
        clang.check()
        clang.compile_source("westwood.bpf.c", program, {"NAME": name})
        clang.tool("bpftool", "struct_ops", "register", str(program))
    except clang.MissingError as error:
        raise OutputError(
            f'congestion_control = "{NAME}": {error}', "choose cubic, reno or bbr"
        ) from None
    return name


@leftovers.register
def unregister(mark: str) -> Iterator[str]:
    """Remove the congestion control that a run has registered.

    Raises
    ------
    OutputError
        bpftool is gone, or refuses.
    """
    name = leftovers.noted(mark, _NOTE)
    if name and name in controls.AVAILABLE.read_text().split():
        try:
            clang.tool("bpftool", "struct_ops", "unregister", "name", name)
        except clang.MissingError as error:
            raise OutputError(f"congestion control {name}: {error}") from None
        yield f"congestion control {name}"
