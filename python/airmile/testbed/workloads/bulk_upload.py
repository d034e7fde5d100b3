"""A workload of uploads that are as fast as possible."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from functools import partial

from airmile.testbed.experiment.options import IN_MEMORY, THREADS
from airmile.testbed.workloads._client import Say, connect, post, together

BRIEF = {"bytes": 1_500_000}
"""Options of a short run, for `make testbed-smoke`."""


@dataclass(frozen=True)
class Options:
    """The options of the uploads.

    Parameters
    ----------
    bytes : int
        The size of each upload.
    flows : int
        The number of uploads at the same time.
    """

    bytes: int = field(default=5_000_000, metadata=IN_MEMORY)
    flows: int = field(default=1, metadata=THREADS)


def uplink(_: Options) -> bool:
    """Return that the data goes to the server."""
    return True


def run(options: Options, say: Say) -> None:
    """Run all uploads, and wait for them."""

    def one(number: int) -> None:
        with connect() as connection:
            say("upload", number=number, **asdict(post(connection, options.bytes)))

    together(partial(one, number) for number in range(options.flows))
