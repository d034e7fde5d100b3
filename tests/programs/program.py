"""What is run: the programs at both ends, what the router does to packets, and what is expected."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path

from airmile.testbed.hosts.namespaces import SERVER
from tests.recorded.runs import Run, Table

APPS = Path(__file__).parent / "apps"

PYTHON = os.environ.get("AIRMILE_PROGRAMS_PYTHON", sys.executable)
"""The interpreter of the small programs: it needs the libraries that they use."""


@dataclass(frozen=True)
class Step:
    """A command that the router runs at a time after the client's start; `{port}` is the phone's.

    A time below zero is before the client starts.
    """

    at_s: float
    command: tuple[str, ...]


def rule(at_s: float, *words: str) -> Step:
    """Give a step that changes the router's rules.

    >>> rule(1, "-A", "FORWARD").command
    ('iptables', '-w', '-A', 'FORWARD')
    """
    return Step(at_s, ("iptables", "-w", *words))


@dataclass(frozen=True)
class Program:
    """The programs of a run.

    In all commands `{work}` is a folder of the run, `{server}` the address of the server.

    Attributes
    ----------
    server : tuple of str
        The command of the server, which stays in the foreground.
    client : tuple of str
        The command of the client, whose end ends the run.
    port : int
        The port at which the server listens.
    files : mapping of str to str
        Files written to the folder before.
    prepare : tuple of commands
        Commands run before, in no namespace.
    user : str
        The user of the server.
    longest_s : float
        When the client is stopped.
    router : tuple of Step
        What the router does.
    """

    server: tuple[str, ...]
    client: tuple[str, ...]
    port: int
    files: dict[str, str] = field(default_factory=dict)
    prepare: tuple[tuple[str, ...], ...] = ()
    user: str = ""
    longest_s: float = 20
    router: tuple[Step, ...] = ()

    def placed(self, words: tuple[str, ...], work: Path) -> list[str]:
        """Fill a command in for a run."""
        return [w.replace("{work}", str(work)).replace("{server}", SERVER) for w in words]


@dataclass(frozen=True)
class Traits:
    """What is known of a kind of program beyond its system calls.

    Attributes
    ----------
    answers : bool
        Whether the server owes an answer to whatever it has read; without it, its silence may be
        that of a push that is not due.
    tls : bool
        Whether the connection begins with a TLS handshake.
    findings : tuple of str
        The mechanisms that have to be found, at every tap that can show them.
    allowed : tuple of str
        Further mechanisms that may be found.
    shown_at : tuple of str
        The taps that can show the mechanisms and the `special` label.
    special : str
        A label for the time in which data is on its way, instead of the link's and the sender's.
    setup_s : float
        The time after the first SYN that is not scored, such as a key exchange.
    least_request : int
        The least number of bytes that may be a request; less is a frame of control.
    """

    answers: bool = True
    tls: bool = False
    findings: tuple[str, ...] = ()
    allowed: tuple[str, ...] = ()
    shown_at: tuple[str, ...] = ("ue", "monitor", "server")
    special: str = ""
    setup_s: float = 0
    least_request: int = 1


@dataclass(frozen=True)
class Case:
    """A run of programs: the experiment of the testbed that holds it, and its programs."""

    run: Run
    program: Program
    traits: Traits


def case(
    kind: str,
    variant: str,
    seed: int,
    link: Table,
    program: Program,
    traits: Traits | None = None,
    **more: object,
) -> Case:
    """Give a case; `more` are further keys of its experiment."""
    name = f"{kind}-{variant}-s{seed}".replace(" ", "_")
    table = {
        "description": f"{kind}, {variant}",
        "longest_s": 60,
        "seed": seed,
        "snap_bytes": 262_144,
        "link": link,
        # The testbed wants a workload; the programs take its place.
        "workload": {"name": "bulk_download"},
        **more,
    }
    return Case(Run(name, kind, seed, table), program, traits or Traits())
