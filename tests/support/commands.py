"""Runs `airmile` in processes that have imported it already.

Most of the time of a short command is the import of its libraries. Here one process imports them
and forks for each command, which runs in a process of its own, with its own folder and environment,
and pipes for its input and output. What a command imports, its signals and its terminal are not
tested in this way.
"""

from __future__ import annotations

import atexit
import contextlib
import gc
import importlib
import json
import os
import socket
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NoReturn, Self

ROOT = Path(__file__).parents[2]
LIBRARIES = ("duckdb", "pyarrow.parquet", "scipy.stats", "matplotlib.backends.backend_agg")
"""What commands import as they go."""

LONGEST = 1 << 20
"""The most bytes of a request."""


@dataclass(frozen=True)
class Said:
    """The exit code and output of a command."""

    code: int
    written: bytes
    err: str

    @property
    def out(self) -> str:
        """What was written to the standard output, as text."""
        return self.written.decode()


class Commands:
    """The process that forks. It ends with the context.

    >>> with Commands() as commands:
    ...     commands.run(["--version"], Path.cwd(), b"", {}).code
    0
    """

    def __enter__(self) -> Self:
        """Start the process."""
        self._socket, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        words = [sys.executable, "-m", "tests.support.commands", str(theirs.fileno())]
        self._process = subprocess.Popen(words, cwd=ROOT, pass_fds=[theirs.fileno()])
        theirs.close()
        return self

    def __exit__(self, *_: object) -> None:
        """End the process, by the end of its requests."""
        self._socket.close()
        self._process.wait()

    def run(
        self, words: list[str], folder: Path, given: bytes, environment: Mapping[str, str]
    ) -> Said:
        """Run ``airmile`` with words in a folder, and wait for its end."""
        variables = {**os.environ, **environment}
        request = {"words": words, "folder": str(folder), "environment": variables}
        pipes = [os.pipe() for _ in range(3)]
        theirs = [pipes[0][0], pipes[1][1], pipes[2][1]]
        socket.send_fds(self._socket, [json.dumps(request).encode()], theirs)
        for descriptor in theirs:
            os.close(descriptor)
        with ThreadPoolExecutor(3) as pool:
            pool.submit(_write, pipes[0][1], given)
            out, err = (pool.submit(_read, pipe[0]) for pipe in pipes[1:])
            code = int(self._socket.recv(LONGEST))
            return Said(code, out.result(), err.result().decode())


def _write(descriptor: int, given: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), open(descriptor, "wb") as stream:
        stream.write(given)


def _read(descriptor: int) -> bytes:
    with open(descriptor, "rb") as stream:
        return stream.read()


def serve(requests: socket.socket) -> None:
    """Fork for each request that arrives, and answer with the exit code of the command."""
    from airmile import __main__, cli

    assert cli.VERBS
    for name in LIBRARIES:
        importlib.import_module(name)
    gc.collect()
    gc.freeze()
    while (received := socket.recv_fds(requests, LONGEST, 3))[0]:
        child = os.fork()
        if child == 0:
            requests.close()
            become(json.loads(received[0]), received[1])
            leave(__main__.main)
        for descriptor in received[1]:
            os.close(descriptor)
        _, status = os.waitpid(child, 0)
        requests.send(b"%d" % os.waitstatus_to_exitcode(status))


def become(request: dict[str, Any], pipes: list[int]) -> None:
    """Take the words, folder, environment, input and output of a request."""
    for descriptor, pipe in enumerate(pipes):
        os.dup2(pipe, descriptor)
        os.close(pipe)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    time.tzset()
    sys.argv = ["airmile", *request["words"]]


def leave(command: Callable[[], object]) -> NoReturn:
    """Run a command and end the process with its exit code.

    Without the end of the interpreter: libraries that were loaded before the fork complain there of
    objects that are still in use.
    """
    code: object = 0
    try:
        command()
    except SystemExit as ended:
        code = ended.code
    except BaseException:
        traceback.print_exc()
        code = 1
    atexit._run_exitfuncs()
    with contextlib.suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
