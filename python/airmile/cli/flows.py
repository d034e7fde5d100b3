"""`airmile flows`: the flows of a dataset or a capture, the heaviest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from airmile.cli import _answer, _datasets, _exit_codes, _output
from airmile.cli._options import option

if TYPE_CHECKING:
    from airmile.answers.verdict._flow_list import FlowList

TEXT_FLOWS = 1000
"""The number of flows that the text form lists."""


def _columns(context: click.Context, parameter: click.Parameter, incomplete: str) -> list[str]:
    from airmile.cli.schema import described

    columns = described()["tables"]["flows"]["columns"]
    return [column["name"] for column in columns if column["name"].startswith(incomplete)]


@click.command()
@click.argument("source", metavar="DATASET|CAPTURE")
@click.option(
    "--sort", metavar="COLUMN", shell_complete=_columns,
    help="Sort by this column of the table flows [payload of both directions]: the largest number, "
    "the earliest time or A first.",
)  # fmt: skip
@click.option("--reverse", is_flag=True, help="Reverse the order; unknown values stay last.")
@click.option("--top", type=click.IntRange(1), metavar="N", help="List only the first N flows.")
@option("where", help="List only the flows that meet an SQL condition.")
@option("format", help="text: the columns below; other formats: every column of the table flows.")
@option("quiet")
def flows(
    source: str,
    sort: str | None,
    reverse: bool,
    top: int | None,
    where: str | None,
    form: str,
    quiet: bool,
) -> int:
    """List the flows of a DATASET or a CAPTURE, the heaviest first.

    The list shows for each flow: its rank by payload, which `--flow` of `plot` and `analyze`
    accepts; start, in seconds since the start of the capture, or as a date after more than a day;
    duration; name or address of the server; payload down and up; what limited the flow, or why no
    cause is named (QUIC, UDP, small calls below 1 KB, no transfer seen); the median round trip of
    its data between phone and server (at a monitor, the sum of both sides; else the round trip of
    the handshake); retransmissions in both directions; uid. Unknown values (null) are a dash and
    always come last. Ranks count all flows, including those that --where and --top leave out.

    A CAPTURE is analysed first, and its tables are not kept.

    Examples: airmile flows phone.airmile --sort dl_rtt_p50_ms --top 10; airmile flows phone.pcap
    --where "limited_by = 'receive_window'"

    Exit codes: 0 done; 1 done, but a part of the input failed; 2 usage; 3 nothing readable;
    5 environment; 130 interrupted.
    """
    from airmile.answers.verdict._flow_list import FlowList

    with _datasets.opened(source, quiet=quiet) as dataset:
        _exit_codes.need_packets(dataset)
        chosen = FlowList(dataset, sort, reverse, top, where)
        _answer.show(form, text=lambda: _text(chosen), table=chosen.table)
        return _exit_codes.of(dataset)


def _text(chosen: FlowList) -> str:
    from airmile.render import flows as words

    found, number = chosen.rows(TEXT_FLOWS)
    if not found:
        return "no flow" if chosen.where is None else f"no flow where {chosen.where}"
    lines = list(words.lines(found, chosen.sort, _output.terminal_width()))
    if note := words.note(found):
        lines.append(note)
    if number > len(found):
        lines.append(f"... {number - len(found)} more flows: take --top, --where or --format csv")
    return "\n".join(lines)
