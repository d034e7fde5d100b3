"""Small downloads with silences between them that are long enough for the radio to go idle."""

from __future__ import annotations

import socket
import time
from dataclasses import asdict, dataclass, field

from airmile.testbed.experiment.options import POSITIVE
from airmile.testbed.workloads._client import Say, connect, get

BRIEF = {"gaps_s": [2.0]}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the downloads and the silences.

    Parameters
    ----------
    gaps_s : list of float
        The silences before the second download, the third, and so on. airmile recognises a
        promotion only after a second without any packet (methods B2), and a connection still sends
        packets when it ends.
    bytes : int
        The size of each download.
    reconnect : bool
        Whether each download has its own connection.
    """

    gaps_s: list[float] = field(default_factory=lambda: [14.0, 14.0])
    bytes: int = field(default=100_000, metadata=POSITIVE)
    reconnect: bool = True


def run(options: Options, say: Say) -> None:
    """Download with silences in between.

    A connection for one download is closed before the silence; otherwise its FIN would wake the
    radio.
    """
    connection: socket.socket | None = None
    for number, gap in enumerate([0.0, *options.gaps_s]):
        time.sleep(gap)
        connection = connection or connect()
        say("download", number=number, **asdict(get(connection, f"/bytes/{options.bytes}")))
        if options.reconnect:
            connection.close()
            connection = None
    if connection:
        connection.close()
