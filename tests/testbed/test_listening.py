"""A run waits for its servers, because an earlier client would be refused."""

from __future__ import annotations

import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from airmile import OutputError
from airmile.testbed.run.listening import Server


@contextmanager
def started(*command: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen([sys.executable, *command], text=True, stderr=subprocess.PIPE) as process:
        try:
            yield process
        finally:
            process.kill()


def free_ports() -> tuple[int, int]:
    with (
        socket.create_server(("127.0.0.1", 0)) as one,
        socket.create_server(("127.0.0.1", 0)) as two,
    ):
        return one.getsockname()[1], two.getsockname()[1]


def test_our_server_takes_connections_once_it_was_waited_for() -> None:
    ports = free_ports()
    with started("-m", "airmile.testbed.server", *map(str, ports)) as process:
        Server("our server", process, ports).wait()
        for port in ports:
            socket.create_connection(("127.0.0.1", port)).close()


def test_a_server_that_ends_is_not_waited_for() -> None:
    with (
        started("-c", "raise SystemExit('no port')") as process,
        pytest.raises(OutputError, match="nginx ended too early: no port"),
    ):
        Server("nginx", process, (1,)).wait()


def test_a_server_that_does_not_listen_is_named() -> None:
    with (
        started("-c", "import signal; signal.pause()") as process,
        pytest.raises(OutputError, match="nginx does not listen on 1") as raised,
    ):
        Server("nginx", process, (1,)).wait(patience_s=0)
    assert raised.value.hint
