"""Options that the verbs of `airmile model` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

TRANSPORTS = ("tcp", "tfo", "tls1.2", "tls1.3", "tls1.3+tfo", "quic", "quic-0rtt")
BANDWIDTHS = ("eff14", "scott", "silverman", "none")
RULES = ("exact", "eff14", "as_printed")
"""Values that `airmile.model` defines, repeated so that `--help` loads no library."""


class Numbers(click.ParamType[list[float]]):
    """Numbers with commas between them."""

    def __init__(self, kind: type[int] | type[float]) -> None:
        self.kind = kind
        self.name = "N,..."

    def convert(self, value: Any, param: Any, ctx: Any) -> list[float]:
        """Return a list; a text that is none is refused."""
        try:
            return [self.kind(part) for part in str(value).split(",")]
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers, as 10,20,32", param, ctx)


def shared(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return what adds several options, in their order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


loss = click.option(
    "--loss", type=float, default=0.0, help="Share of segments lost, 0.01 for 1 % [0]."
)

flow = shared(
    click.option(
        "--segment", "segment_bytes", type=float, default=1460, help="Segment in bytes [1460]."
    ),
    click.option("--flows", type=float, default=1, help="Flows that share the link [1]."),
    loss,
    click.option(
        "--transport", type=click.Choice(TRANSPORTS), default="tcp", metavar="NAME",
        help=f"One of {', '.join(TRANSPORTS)} [tcp].",
    ),
    click.option(
        "--rounds", type=click.Choice(RULES), default="exact",
        help="Rounds with idling: exact, or by the paper's formula, which loses one [exact].",
    ),
)  # fmt: skip

source = click.option(
    "--from", "source", required=True, metavar="SOURCE",
    help="A dataset, a CSV file, or eff14-3g, eff14-3.5g, eff14-4g, lte13.",
)  # fmt: skip

drawn = shared(
    click.option(
        "--direction", type=click.Choice(("downlink", "uplink")), default="downlink",
        help="Direction of a dataset's flows [downlink].",
    ),
    click.option("--paired", is_flag=True, help="Draw rate and round trip of one flow together."),
    click.option("--draws", type=click.IntRange(1), default=10_000, help="Draws [10000]."),
    click.option("--seed", type=click.IntRange(0), default=0, help="Seed of the draws [0]."),
)  # fmt: skip
