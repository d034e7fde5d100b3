"""`airmile model`: completion times of short flows, and the gain of other protocols."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from airmile._errors import UsageError
from airmile.cli import _answer, _output
from airmile.cli import _model_options as own
from airmile.cli._group import Listed
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.model import Inputs, Scenario

WITH_FAST_OPEN = {"tcp": "tfo", "tls1.3": "tls1.3+tfo"}


@click.group(cls=Listed)
def model() -> None:
    """Model short flows: their completion time, and how much of the link they use.

    The model is EFF14's model of slow start (Garcia et al.). Its inputs are numbers that you give,
    or the distributions measured in a dataset.
    """


@model.command("time")
@click.argument("size", type=float, metavar="BYTES")
@click.option(
    "--rate", type=float, required=True, help="Capacity in bit/s, such as 20e6; inf for no limit."
)
@click.option("--rtt", type=float, required=True, help="Round trip in seconds, such as 0.040.")
@click.option(
    "--unloaded-rtt", type=float, help="Round trip in seconds without the other flows [--rtt]."
)
@click.option(
    "--initial-window",
    type=own.Numbers(float),
    default="10",
    help="Initial window in segments, one or several [10].",
)
@own.flow
@option("format", help="How to print it [text].")
def time_(
    size: float,
    rate: float,
    rtt: float,
    unloaded_rtt: float | None,
    initial_window: list[float],
    loss: float,
    form: str,
    **options: Any,
) -> None:
    """Compute how long a flow of BYTES takes, and its efficiency.

    Example: airmile model time 327680 --rate 20e6 --rtt 0.040 --initial-window 10,20,32
    """
    import pyarrow as pa

    from airmile import model as formulas

    _doubt_units(rate, rtt)
    given: Any = {**options, "loss_ratio": loss, "unloaded_rtt_s": unloaded_rtt}
    given["initial_window"] = initial_window
    flow = ([size] * len(initial_window), rate, rtt)
    table = pa.table(
        {
            "initial_window": initial_window,
            "rounds": formulas.rounds(*flow, **given),
            "completion_time_s": formulas.completion_time(*flow, **given),
            "optimal_time_s": formulas.optimal_time(*flow, **given),
            "efficiency": formulas.efficiency(*flow, **given),
        }
    )
    _answer.show(form, table=lambda: table)


@model.command()
@own.source
@click.option("--sizes", type=own.Numbers(float), help="Sizes of flows in bytes [1 KB to 10 MB].")
@click.option(
    "--bandwidth", type=click.Choice(own.BANDWIDTHS), help="Rule for the kernel bandwidth [eff14]."
)
@click.option("--initial-window", type=float, default=10, help="In segments [10].")
@own.flow
@own.drawn
@option("format", help="How to print it [text].")
def sweep(
    source: str,
    sizes: list[float] | None,
    bandwidth: str | None,
    loss: float,
    direction: str,
    paired: bool,
    draws: int,
    seed: int,
    form: str,
    **options: Any,
) -> None:
    """Draw rates and round trips from SOURCE, and compute the efficiency for each flow size.

    With --flows 2 or more, the round trips are those of handshakes under load.

    Example: airmile model sweep --from phone.airmile --sizes 1e4,1e5,1e6
    """
    import numpy as np

    from airmile import model as formulas

    inputs = formulas.read(source, direction)
    rates, rtts = inputs.pairs() if paired else inputs.groups("rates_bps", "rtts_s")
    loaded = inputs.group("loaded_rtts_s") if options["flows"] > 1 else None
    table = formulas.monte_carlo(
        rates, rtts, sizes or np.geomspace(1e3, 1e7, 41), draws=draws, paired=paired, seed=seed,
        bandwidth=bandwidth or inputs.bandwidth, loaded_rtts_s=loaded, loss_ratio=loss, **options,
    )  # fmt: skip
    _answer.show(form, table=lambda: table)
    _notes(inputs)


@model.command("what-if")
@own.source
@click.option(
    "--initial-window", type=own.Numbers(int), default="10,20,32",
    help="Initial windows in segments; the first is your present one [10,20,32].",
)  # fmt: skip
@click.option("--sizes", type=own.Numbers(float), help="Sizes of flows in bytes [those of SOURCE].")
@click.option("--tfo", is_flag=True, help="Also model TCP Fast Open.")
@click.option("--quic", is_flag=True, help="Also model QUIC, with and without 0-RTT.")
@click.option(
    "--baseline", type=click.Choice(("tcp", "tls1.2", "tls1.3")), default="tls1.3",
    help="Your present protocol, with which the others are compared [tls1.3].",
)  # fmt: skip
@own.loss
@own.drawn
@option("format", help="How to print it [text].")
def what_if_(
    source: str,
    initial_window: list[int],
    sizes: list[float] | None,
    tfo: bool,
    quic: bool,
    baseline: str,
    loss: float,
    direction: str,
    form: str,
    **drawn: Any,
) -> None:
    """Compute how a larger initial window, Fast Open or QUIC would change completion times.

    Sizes, rates and round trips are drawn from the flows of SOURCE. The interval is that of the
    change of the mean.

    Example: airmile model what-if --from phone.airmile --initial-window 10,20,32 --tfo --quic
    """
    import numpy as np

    from airmile import model as formulas
    from airmile.render import model as words

    inputs = formulas.read(source, direction)
    if sizes:
        inputs = replace(inputs, sizes_bytes=np.array(sizes, float), sizes_are_given=True)
    scenarios = _scenarios(initial_window, baseline, tfo=tfo, quic=quic)
    table = formulas.what_if(inputs, scenarios, loss_ratio=loss, **drawn)
    _answer.show(
        form,
        text=lambda: words.what_if(inputs, table, loss, _output.width()),
        table=lambda: table,
    )


def _scenarios(windows: list[int], baseline: str, *, tfo: bool, quic: bool) -> list[Scenario]:
    """Return the scenarios: the baseline, each change alone, and all changes together."""
    from airmile.model import Scenario

    if tfo and baseline not in WITH_FAST_OPEN:
        raise UsageError(
            f"--tfo with --baseline {baseline} is not modelled",
            f"give --baseline {' or '.join(WITH_FAST_OPEN)}",
        )
    transports = [WITH_FAST_OPEN[baseline]] if tfo else []
    transports += ["quic", "quic-0rtt"] if quic else []
    alone = [Scenario(baseline, window) for window in windows]
    alone += [Scenario(transport, windows[0]) for transport in transports]
    together = [Scenario(transports[-1], max(windows))] if transports and len(windows) > 1 else []
    return alone + together


def _doubt_units(rate_bps: float, rtt_s: float) -> None:
    """Warn of numbers that are probably in another unit; we chose the limits."""
    if rate_bps < 1e3:
        _output.warn(f"--rate {rate_bps:g} is below 1 kbit/s: it is in bit/s, as 20e6")
    if rtt_s > 10:
        _output.warn(f"--rtt {rtt_s:g} is above 10 s: it is in seconds, as 0.040")


def _notes(inputs: Inputs) -> None:
    for note in inputs.notes:
        _output.note(f"note: {note}")
