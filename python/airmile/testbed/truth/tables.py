"""The truth of a run as tables of its dataset, beside the tables of the analysis."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from airmile.store import _sql
from airmile.store._testbed_tables import TABLES
from airmile.testbed.record import senders
from airmile.testbed.truth.simulation import ENDS

if TYPE_CHECKING:
    import pyarrow as pa

BLOCKED = ("rrc", "handover", "grant", "asleep", "gap")
"""The engine's reasons 1 to 5 why a TTI carries nothing; 0 means that there is no reason."""


def collect(folder: Path) -> None:
    """Turn the CSV files of a run into tables of its dataset, and remove the files.

    Parameters
    ----------
    folder : Path
        The folder of the run. Without a file there is no table: a run over a real interface has no
        truth of the link.
    """
    files = folder.resolve()
    for name, query in _queries(files).items():
        write(folder, name, _answer(query, files))
    for file in (*folder.glob("truth_*.csv"), *folder.glob("senders_*.csv")):
        file.unlink()
    for name in ("events.csv", "arrivals.csv"):
        (folder / name).unlink(missing_ok=True)


def write(folder: Path, name: str, rows: pa.Table) -> None:
    """Write one of `TABLES` into the folder of a run; each column states its unit and meaning."""
    from pyarrow import parquet

    (folder / name).mkdir()
    table = rows.select([column.name for column in TABLES[name][1]]).cast(schema(name))
    parquet.write_table(table, folder / name / "part-0.parquet", compression="zstd")


def schema(name: str) -> pa.Schema:
    """Return the schema of one of `TABLES`."""
    import pyarrow as pa

    what, columns = TABLES[name]
    fields = [
        pa.field(c.name, pa.type_for_alias(c.type), metadata={"unit": c.unit, "doc": c.doc})
        for c in columns
    ]
    return pa.schema(fields, metadata={"doc": f"One row per {what}.", "schema": "1"})


def _queries(folder: Path) -> dict[str, str]:
    """Return the SQL of each table whose files exist."""
    queries = {}
    if (folder / "truth_dl.csv").exists():
        down, up = (_ttis(folder / f"truth_{way}.csv") for way in ("dl", "ul"))
        queries["truth_ttis"] = f"{down} UNION ALL {up} ORDER BY tti, direction"
        queries["truth_events"] = _events(folder / "events.csv")
        queries["truth_packets"] = _packets(folder / "arrivals.csv")
    if senders := sorted(folder.glob("senders_*.csv")):
        union = " UNION ALL ".join(_senders(path) for path in senders)
        queries["truth_tcp"] = f"SELECT * FROM ({union}) ORDER BY time_ns, place, local_port"
    return queries


_TIME = "CAST(t_unix * 1000000 AS BIGINT) * 1000 AS time_ns"
"""SQL of the time in ns, exact because times of six decimals are read as decimals."""


def _csv(path: Path, types: str = "") -> str:
    stamp = "'t_unix': 'DECIMAL(24,6)', " if path.name != "arrivals.csv" else ""
    return (
        f"read_csv({_sql.paths([path])}, header = true, nullstr = '', types = {{{stamp}{types}}})"
    )


def _ttis(path: Path) -> str:
    way = "downlink" if path.stem.endswith("dl") else "uplink"
    names = ", ".join(f"'{name}'" for name in BLOCKED)
    return f"""
        SELECT {_TIME}, tti, '{way}' AS direction, prb_avail AS cell_prbs,
            q_start AS queue_bytes, qdisc AS qdisc_bytes, bytes_avail_full_tti AS available_bytes,
            prb_alloc AS prbs, prb_retx AS repeated_prbs, prb_other AS other_prbs, tbs_bytes,
            served AS served_bytes, sinr_db, state,
            [{names}][CAST(blocked AS BIGINT)] AS blocked, late_us
        FROM {_csv(path, _TTI_TYPES)}"""


_TTI_TYPES = "'sinr_db': 'DOUBLE'"
"""The types of columns that may be empty in every row, from which no type can be derived."""


def _events(path: Path) -> str:
    return f"""
        SELECT {_TIME}, event, CASE dir WHEN 'DL' THEN 'downlink' WHEN 'UL' THEN 'uplink' END
            AS direction, sport AS source_port, dport AS destination_port, seq AS sequence,
            payload AS payload_bytes, x AS value
        FROM {_csv(path, _EVENT_TYPES)} ORDER BY time_ns"""


_EVENT_TYPES = (
    "'event': 'VARCHAR', 'dir': 'VARCHAR', 'sport': 'BIGINT', 'dport': 'BIGINT', 'seq': 'BIGINT', "
    "'payload': 'BIGINT', 'x': 'DOUBLE'"
)
"""The types of the columns of a file that may have no rows, from which to derive types."""


def _packets(path: Path) -> str:
    kinds = "'ns': 'BIGINT', 'end': 'VARCHAR', 'bytes': 'BIGINT', 'payload': 'BIGINT'"
    ends = " ".join(f"WHEN '{engine}' THEN '{name}'" for name, engine in ENDS.items())
    return f"""
        SELECT ns AS since_start_ns, CASE "end" {ends} END AS "end", bytes,
            payload AS payload_bytes
        FROM {_csv(path, kinds)}"""


def _senders(path: Path) -> str:
    place = _sql.literal(path.stem.removeprefix("senders_"))
    return f"""
        SELECT {_TIME}, {place} AS place, sport AS local_port, dport AS peer_port,
            * EXCLUDE (t_unix, sport, dport)
        FROM {_csv(path, _SENDER_TYPES)}"""


_SENDER_TYPES = "'cc': 'VARCHAR', " + ", ".join(
    f"'{name}': 'BIGINT'" for name in senders.COLUMNS.split(",")[1:-1]
)


def _answer(query: str, folder: Path) -> pa.Table:
    with _sql.connect(folder.glob("*.csv")) as connection:
        return connection.sql(query).to_arrow_table()
