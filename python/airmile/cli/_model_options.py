"""Options that the subcommands of `airmile model` share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

TRANSPORTS = ("tcp", "tfo", "tls1.2", "tls1.3", "tls1.3+tfo", "quic", "quic-0rtt")
BANDWIDTHS = ("eff14", "scott", "silverman", "none")
RULES = ("exact", "eff14", "as_printed")
"""Values that `airmile.model` defines, repeated here so that `--help` loads no library."""


class Numbers(click.ParamType[list[float]]):
    """A list of numbers, separated by commas."""

    def __init__(self, kind: type[int] | type[float]) -> None:
        self.kind = kind
        self.name = "N,..."

    def convert(self, value: Any, param: Any, ctx: Any) -> list[float]:
        """Return the numbers as a list; fail for any other text."""
        try:
            return [self.kind(part) for part in str(value).split(",")]
        except ValueError:
            self.fail(f"{value!r} is not a list of numbers, as 10,20,32", param, ctx)


def shared(*options: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return a decorator that adds several options, in their order."""

    def add(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return add


loss = click.option(
    "--loss", type=float, default=0.0, help="Fraction of segments lost, 0.01 for 1 % [0]."
)

flow = shared(
    click.option(
        "--segment", "segment_bytes", type=float, default=1460, help="Segment size in bytes [1460]."
    ),
    click.option("--flows", type=float, default=1, help="Number of flows that share the link [1]."),
    loss,
    click.option(
        "--transport", type=click.Choice(TRANSPORTS), default="tcp", metavar="NAME",
        help=f"One of {', '.join(TRANSPORTS)} [tcp].",
    ),
    click.option(
        "--rounds", type=click.Choice(RULES), default="exact",
        help="How to count rounds in which the link idles: exact, or by the paper's formula "
        "(eff14, as_printed), which loses one [exact].",
    ),
)  # fmt: skip

source = click.option(
    "--from", "source", required=True, metavar="SOURCE",
    help="A dataset, a CSV file, or published values: eff14-3g, eff14-3.5g, eff14-4g, lte13.",
)  # fmt: skip

drawn = shared(
    click.option(
        "--direction", type=click.Choice(("downlink", "uplink")), default="downlink",
        help="Direction of a dataset's flows [downlink].",
    ),
    click.option("--paired", is_flag=True, help="Draw rate and round trip from the same flow."),
    click.option("--draws", type=click.IntRange(1), default=10_000, help="Random draws [10000]."),
    click.option("--seed", type=click.IntRange(0), default=0, help="Seed of the random draws [0]."),
)  # fmt: skip
