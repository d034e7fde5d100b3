"""The tables of an alignment: their columns with their meaning, and how one is made."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Column:
    """A column: its name in the table, its type, its unit, what it is, and its definition."""

    name: str
    type: str
    unit: str
    doc: str
    cite: str


PAIRED = (
    Column("first_ns", "int64", "ns", "When it passed the first tap, by its clock.", "G9"),
    Column("second_ns", "int64", "ns", "When it passed the second tap, by its clock.", "G9"),
    Column("direction", "utf8", "", "Which way it went.", "A2"),
    Column("ue", "utf8", "", "Address of the phone.", "A2"),
    Column("ue_port", "uint16", "", "Its port.", "A2"),
    Column("server", "utf8", "", "Address of the server.", "A2"),
    Column("server_port", "uint16", "", "Its port.", "A2"),
    Column(
        "sequence", "int64", "", "Sequence number as it stands in the header.",
        "RFC 9293 section 3.1",
    ),
    Column(
        "payload_bytes", "int64", "bytes", "Bytes of payload in the first capture, by IP length.",
        "A5",
    ),
    Column(
        "whole", "bool", "",
        "The same segment in both; false where offloads joined segments in one of them, and only "
        "the first byte is the same.",
        "A10",
    ),
)  # fmt: skip
"""What the engine gives of each pair, as it describes it (crates/dataset/src/align/row.rs)."""

DELAY = (
    Column("delay_ms", "float64", "ms", "From the tap it passed first to the other.", "G9"),
    Column(
        "delay_uncertainty_ms", "float64", "ms", "The delay is right within so much.", "G9"
    ),
)  # fmt: skip

STEPS = (
    Column("first_ns", "int64", "ns", "Last shared packet before, by the first clock.", "G9"),
    Column("second_ns", "int64", "ns", "The same by the second clock.", "G9"),
    Column("step_ms", "float64", "ms", "Change of the second clock less the first.", "G9"),
    Column("uncertainty_ms", "float64", "ms", "The step is right within so much.", "G9"),
)

E5 = (
    Column("ue", "utf8", "", "Address of the phone.", "E5"),
    Column("source", "utf8", "", "Estimator of the sample.", "E5"),
    Column("window_s", "float64", "s", "Length of the sliding window.", "E5"),
    Column(
        "time_ns", "int64", "ns", "Its centre, by the clock of the capture nearer to the phone.",
        "E5",
    ),
    Column("throughput_bps", "float64", "bit/s", "Payload that arrived at the phone in it.", "E5"),
    Column(
        "bandwidth_bps", "float64", "bit/s",
        "The sample nearest to the centre, of queue_evident the mean; null: none in it.", "E5",
    ),
    Column("error_ratio", "float64", "", "Estimate / throughput - 1.", "E5"),
    Column(
        "busy", "bool", "", "Payload arrived in every 100 ms of the second around the centre.",
        "E5",
    ),
)  # fmt: skip

E5_CDF = (
    Column("window_s", "float64", "s", "Length of the sliding window.", "E5"),
    Column("source", "utf8", "", "Estimator.", "E5"),
    Column("share_ratio", "float64", "", "Share of the windows.", "E5"),
    Column(
        "error_ratio", "float64", "", "Error, whatever its sign, that they do not exceed.", "E5"
    ),
)

TABLES: Mapping[str, tuple[str, tuple[Column, ...]]] = {
    "pairs": ("TCP packet that both captures hold, and only once each", (*PAIRED, *DELAY)),
    "clock_steps": ("time that one of the two clocks was set", STEPS),
    "e5": ("window of either length and estimator in which payload arrived at the phone", E5),
    "e5_cdf": ("hundredth of these windows, by length and estimator", E5_CDF),
}


def document() -> dict[str, Any]:
    """Describe the tables as the engine describes its own."""
    return {
        name: {
            "doc": f"`airmile align` only. One row per {what}.",
            "columns": [vars(column) for column in columns],
        }
        for name, (what, columns) in TABLES.items()
    }


def table(described: Sequence[Column], columns: Mapping[str, Any]) -> pa.Table:
    """Make a table; NaN is null."""
    import pyarrow as pa

    fields = [
        pa.field(
            column.name,
            pa.type_for_alias(column.type),
            metadata={"unit": column.unit, "doc": column.doc, "cite": column.cite},
        )
        for column in described
    ]
    arrays = [pa.array(columns[field.name], field.type, from_pandas=True) for field in fields]
    return pa.table(arrays, schema=pa.schema(fields))
