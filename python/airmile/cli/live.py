"""`airmile live`: the state of the radio link while a modem logs it."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from airmile import _signals
from airmile._errors import OutputError
from airmile.cli import _output
from airmile.cli._exit_codes import NOTHING_READABLE, PARTLY_FAILED
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.live.link import Link


@click.command()
@option(
    "modem",
    required=True,
    help="The modem: a serial device, a named pipe, a file, or - for standard input.",
)
@click.option(
    "--listen",
    metavar="ADDRESS:PORT",
    help="Address and port of the HTTP server; off: no server.  [default: 127.0.0.1:8000]",
)
@click.option(
    "--allow-origin",
    multiple=True,
    metavar="ORIGIN",
    help="Let web pages of this origin read the answers (CORS); * for any.",
)
@click.option(
    "--allow-host",
    multiple=True,
    metavar="NAME",
    help="Also answer requests to this host name; localhost and addresses always get an answer.",
)
@option("cell-prbs")
@click.option(
    "--stale-after",
    type=click.FloatRange(min=0, min_open=True),
    default=10.0,
    show_default=True,
    metavar="SECONDS",
    help="Age above which an estimate is no longer given.",
)
@option(
    "format",
    type=click.Choice(("text", "ndjson")),
    default=None,
    help="Format of the lines [text on a terminal, else ndjson].",
)
@option("quiet", help="No notes.")
def live(
    modem: str,
    listen: str | None,
    allow_origin: tuple[str, ...],
    allow_host: tuple[str, ...],
    cell_prbs: tuple[str, ...],
    stale_after: float,
    form: str | None,
    quiet: bool,
) -> int:
    """Follow the log of a modem: print a line when a burst ends, and serve the link over HTTP.

    A burst is a time in which the base station's queue for the phone held data, so its throughput
    is the rate that the link gave. The log formats are those of `airmile radio`. A capture alone
    cannot be followed live yet: pipe it into `airmile -`, which answers at its end.

    GET /bw answers with a plain number, the mean throughput of the last five bursts in bit/s,
    weighted by duration, or with 503 while there is none. GET /v1/link answers with JSON:
    throughput and its range, link demand of the last 10 s, and whether a burst is open. GET
    /metrics is for Prometheus. A stale estimate is left out; the last value is not repeated.

    Exit codes: 0 the log ended; 1 a part of the log could not be read; 2 usage; 3 nothing readable;
    5 environment; 130 interrupted (143 and 129: by SIGTERM and SIGHUP).
    """
    from airmile.live import stream
    from airmile.live.link import Link
    from airmile.live.watch import watch

    link = Link(stale_after)
    lines = form or ("text" if sys.stdout.isatty() else "ndjson")
    options: dict[str, Any] = {"cell_prbs": list(cell_prbs)}
    try:
        answering = _answering(link, listen, allow_origin, allow_host, quiet)
        with answering, stream.opened(modem, options) as log:
            watch(log, link, _output.say, "text" if lines == "text" else "ndjson", time.monotonic)
            return _report(log.report(), quiet)
    except KeyboardInterrupt as error:
        return _signals.described(error)[1]


@contextmanager
def _answering(
    link: Link,
    listen: str | None,
    origins: tuple[str, ...],
    hosts: tuple[str, ...],
    quiet: bool,
) -> Iterator[None]:
    """Answer over HTTP while the log continues; if the default port is in use, only warn."""
    from airmile.live import http

    if listen == "off":
        yield
        return
    with contextlib.ExitStack() as stack:
        address = http.address(listen or http.DEFAULT)
        server = http.serving(link, address, origins, hosts=hosts)
        try:
            base = stack.enter_context(server)
        except OutputError as error:
            if listen is not None:
                raise
            _output.warn(f"{error.message}: no answers over HTTP")
        else:
            if not quiet:
                _output.note(f"{base}: {', '.join(http.PATHS)}")
        yield


def _report(log: dict[str, Any] | None, quiet: bool) -> int:
    """Print which parts of the log were not read, and return the exit code."""
    from airmile.answers.radio import _log_words

    if log is None:
        return NOTHING_READABLE
    if not quiet:
        # Handovers, for which whole RRC messages are decoded, are not among what `live` shows.
        for note in _log_words.unsure(log):
            _output.note(note.replace("\u00a0", " "))
    return {"ok": 0, "partial": PARTLY_FAILED}.get(log["status"], NOTHING_READABLE)
