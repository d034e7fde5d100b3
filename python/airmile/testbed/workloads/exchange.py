"""Requests and answers over persistent connections to a server that needs time to answer.

`workload.jsonl` and `server.jsonl` record which bytes of the TCP stream each of them occupies.
"""

from __future__ import annotations

import random
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from airmile.testbed.exchange.client import play
from airmile.testbed.exchange.plan import Flow
from airmile.testbed.exchange.stream import NAME
from airmile.testbed.experiment.options import PORT as A_PORT
from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.hosts import programs
from airmile.testbed.workloads._client import Say, together

SERVER_NEEDS = ("openssl",)

SERVER_LOG = "server.jsonl"
"""The file with the server's output: a line per connection and per answered request."""

BRIEF = {"flows": [{"count": 6, "wait_ms": [0, 200], "tls": "1.3", "protocol": "h2"}]}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the requests and of the server's answers.

    Parameters
    ----------
    flows : list of table
        The connections, all at the same time. Each has `protocol` (`http1` or `h2`), `tls` (empty,
        `1.2` or `1.3`), `count` (number of requests), `depth` (how many are sent at once), the
        least and the
        greatest `request_bytes`, `answer_bytes`, `wait_ms` (of the server before it answers) and
        `pause_ms` (of the client before a request), `bps` (rate at which a body is written; 0: as
        fast as possible), `stalls` and `server_stalls` (pairs: after this number of bytes of a body
        its reader stops for this time in seconds), `receive_buffer` (SO_RCVBUF), `start_s`, and
        `times` (the number of connections, one after the other).
    seed : int
        The seed of the values that are drawn between their least and greatest value.
    server_receive_buffer : int
        SO_RCVBUF of the server in bytes; 0: the kernel's own tuning.
    port : int
        The port of the server.
    """

    flows: list[dict[str, Any]] = field(
        metadata=POSITIVE, default_factory=lambda: [{"count": 10, "wait_ms": [50, 50]}]
    )
    seed: int = 1
    server_receive_buffer: int = 0
    port: int = field(default=8443, metadata=A_PORT)

    def __post_init__(self) -> None:
        for number, table in enumerate(self.flows, 1):
            try:
                Flow.of(table)
            except (TypeError, ValueError) as error:
                raise ValueError(f"flows.{number}.{error}") from None


def uplink(options: Options) -> bool:
    """Return whether the requests have more bytes than the answers."""
    flows = [Flow.of(table) for table in options.flows]
    weights = [each.count * each.times for each in flows]
    up = sum(n * each.request_bytes[1] for n, each in zip(weights, flows, strict=True))
    return up > sum(n * each.answer_bytes[1] for n, each in zip(weights, flows, strict=True))


def server(options: Options, folder: Path) -> list[str]:
    """Make a certificate if a connection needs one, and return the command of the server."""
    folder.mkdir(parents=True, exist_ok=True)
    if any(Flow.of(table).tls for table in options.flows):
        subprocess.run(_CERTIFICATE, cwd=folder, check=True, capture_output=True)
    numbers = [str(options.port), str(options.server_receive_buffer)]
    return programs.python("airmile.testbed.exchange.server", str(folder), *numbers)


# These names make the certificate longer than one segment, like those of large sites.
_NAMES = ",".join(f"DNS:{n}.{NAME}" for n in range(100))
_CERTIFICATE = [
    *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
    *("-keyout", "key.pem", "-out", "cert.pem", "-subj", f"/CN={NAME}"),
    *("-addext", f"subjectAltName={_NAMES}"),
]


def server_port(options: Options) -> int:
    """Return the port of the server."""
    return options.port


def run(options: Options, say: Say) -> None:
    """Send the requests, and read the answers."""
    began = time.monotonic()
    jobs: list[Callable[[], None]] = [
        partial(_flow, Flow.of(table), options, number, began, say)
        for number, table in enumerate(options.flows)
    ]
    together(jobs)


def _flow(flow: Flow, options: Options, number: int, began: float, say: Say) -> None:
    chance = random.Random(f"{options.seed}-{number}")
    time.sleep(max(0.0, began + flow.start_s - time.monotonic()))
    for _ in range(flow.times):
        play(flow, options.port, chance, say)
