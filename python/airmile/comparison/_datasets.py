"""Reads rows from a table of a dataset."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from airmile._errors import UsageError
from airmile.comparison._rows import (
    ALIASES,
    HANDOVERS,
    PAIR,
    RESTARTS,
    ROW,
    SINR,
    UNIT_ALIASES,
    Rows,
    Wanted,
    first,
    unit_of,
    word_of,
)
from airmile.store import _sql
from airmile.store._needs import absent, has, source
from airmile.store._tables import described
from airmile.study._cells import controls

if TYPE_CHECKING:
    from airmile.store import Tables

USUAL = {"trials": "rate_bps", "flows": "dl_rate_bps", "sessions": "dl_bytes"}
"""The metric of each table that is compared by default."""


def read(dataset: Tables, label: str, wanted: Wanted) -> Rows:
    """Return the rows of a table; by default of the trials if there are some, else of the flows.

    Raises
    ------
    UsageError
        The dataset has no such table or column.
    """
    table = wanted.table or ("trials" if has(dataset, "trials") else "flows")
    if not dataset.columns(table):
        raise UsageError(
            f"{dataset.path} has no table {table!r}", f"it has {', '.join(dataset.tables)}"
        )
    joined = _Joined(dataset, table, wanted.where)
    metrics = list(wanted.metrics) or [_usual(table)]
    by = None if wanted.by is None else joined.meant(wanted.by)
    unit = wanted.pair or joined.usual_unit(wanted.unit)
    columns = {
        **{f"m{at}": joined.named(name) for at, name in enumerate(metrics)},
        "by": by or "NULL",
        "unit": joined.unit(unit),
        "series": joined.series(),
        "sinr": joined.first(SINR),
        "handovers": joined.first(HANDOVERS),
        "restarts": joined.first((RESTARTS,)),
    }
    chosen_columns = ", ".join(f"{sql} AS {_sql.name(name)}" for name, sql in columns.items())
    query = f"SELECT {chosen_columns} FROM {joined.sql}{joined.condition}"
    found = dataset.arrow(query, of_user=wanted.where is not None)
    return _rows(found.to_pydict(), label, metrics, joined, unit, pair=wanted.pair is not None)


def _rows(
    found: dict[str, list[Any]],
    label: str,
    metrics: Sequence[str],
    joined: _Joined,
    unit: str | None,
    *,
    pair: bool,
) -> Rows:
    units = range(len(found["by"])) if unit == ROW else found["unit"]
    # A number that each dataset counts anew is not that of another dataset.
    own = unit == ROW or (not pair and unit in _OF_A_DATASET)
    numbered = [each if each is None or not own else (label, each) for each in units]
    word = word_of(unit) if unit else joined.word
    rows = Rows(
        label, {name: found[f"m{at}"] for at, name in enumerate(metrics)}, found["by"], numbered,
        found["series"], word, pair or (unit is None and joined.word == "iteration"),
        found["sinr"], found["handovers"], found["restarts"],
    )  # fmt: skip
    rows.units = {name: joined.measured_in(name) for name in metrics}
    rows.notes = joined.notes(label)
    return rows


def _usual(table: str) -> str:
    if table not in USUAL:
        raise UsageError(
            f"which column of {table} is compared?",
            f"`airmile schema {table}` lists them: --metric",
        )
    return USUAL[table]


class _Joined:
    """A table with columns that other tables add to its rows: subscriber, trial, control."""

    def __init__(self, dataset: Tables, table: str, where: str | None) -> None:
        if where is not None:
            rows = dataset.arrow(f"SELECT * FROM {_sql.name(table)} LIMIT 0")
            _sql.check_condition(where, rows, f"`airmile schema {table}` lists its columns")
        # The line break ends a comment with which a condition may end.
        self._where = "" if where is None else f" WHERE ({where}\n)"
        self._dataset, self._table = dataset, table
        self._own = [name for name in dataset.columns(table) if name != "run"]
        self.sql, self._more = self._build()

    def _build(self) -> tuple[str, dict[str, str]]:
        """Return the SQL of the joined rows, and the SQL of the columns that other tables add."""
        dataset, more = self._dataset, dict[str, str]()
        sql = f"(FROM {source(dataset, self._table, *self._own)}{self._where}) AS own"
        if self._table != "flows" and "uid" in self._own and "flows" in dataset.tables:
            flows = source(dataset, "flows", "uid", *_OF_FLOWS)
            sql += f" LEFT JOIN {flows} AS flow USING (run, uid)"
            more |= {name: f"flow.{name}" for name in _OF_FLOWS}
        if known := self._of_trials():
            sql += f" LEFT JOIN {_of_flows(dataset, known)} AS trial USING (run, uid)"
            more |= {name: f"trial.{name}" for name in known}
        elif self._table == "flows" and _has(dataset, "truth_tcp", "place", "cc"):
            sql += f" LEFT JOIN {controls(dataset)} AS sender USING (run, server_port, ue_port)"
            more["congestion_control"] = "sender.cc"
        if "uid" in self._own and _has(dataset, "idle_gaps", "uid", "restart"):
            sql += f" LEFT JOIN {_restarts(dataset)} AS gaps USING (run, uid)"
            more[RESTARTS] = f"gaps.{RESTARTS}"
        return sql, more

    def _of_trials(self) -> list[str]:
        """Return the columns that trials add to the rows of another table."""
        if self._table == "trials" or "uid" not in self._own:
            return []
        if not _has(self._dataset, "trials", "uid"):
            return []
        lacking = absent(self._dataset, "trials", _OF_TRIALS)
        return [name for name in _OF_TRIALS if name not in lacking]

    @property
    def condition(self) -> str:
        """SQL of the trials that count: those of the main workload in runs that can be trusted."""
        if self._table != "trials":
            return ""
        kept = [f"{column} {test}" for column, test in _TRIALS.items() if column in self._own]
        return f" WHERE {' AND '.join(kept)}" if kept else ""

    def notes(self, label: str) -> list[str]:
        """Return a note with the number of trials in runs that cannot be trusted."""
        if self._table != "trials" or "trustworthy" not in self._own:
            return []
        rows = source(self._dataset, "trials", "trustworthy")
        found = self._dataset.records(f"SELECT count(*) AS n FROM {rows} WHERE NOT trustworthy")
        count = found[0]["n"]
        return [f"{label}: {count} trials of untrustworthy runs are left out"] if count else []

    def named(self, name: str) -> str:
        """Return the SQL of a column that the user named."""
        if name in self._own:
            return f"own.{_sql.name(name)}" if name not in ("ue_port", "server_port") else name
        if name == "run":
            return "run"
        if name in self._more:
            return self._more[name]
        raise UsageError(
            f"{self._dataset.path}: the table {self._table!r} has no column {name!r}",
            f"`airmile schema {self._table}` lists its columns",
        )

    def meant(self, by: str) -> str:
        """Return the SQL of the column that a word of `--by` means."""
        found = first(ALIASES.get(by, (by,)), [*self._own, *self._more, "run"])
        if found is None:
            raise UsageError(
                f"{self._dataset.path}: the table {self._table!r} has no {by!r} to group by",
                "give each group a dataset and a --label of its own, and --by label",
            )
        return self.named(found)

    def first(self, names: Sequence[str]) -> str:
        """Return the SQL of the first column that exists, or of null."""
        found = first(names, [*self._own, *self._more])
        return "NULL" if found is None else self.named(found)

    def usual_unit(self, given: str | None) -> str | None:
        """Return the unit that the user named, or ``capture`` if all rows are of one subscriber."""
        if given is not None or self._table == "trials" or "capture" not in self._own:
            return given
        phone = self._subscriber()
        if phone is None or "iteration" in self._more:
            return None
        sql = f"{self.sql}{self.condition}"
        found = self._dataset.records(
            f"SELECT count(DISTINCT run || ' ' || {phone}) AS subscribers, "
            f"count(DISTINCT run || ' ' || own.capture) AS captures FROM {sql}"
        )[0]
        return "capture" if found["subscribers"] == 1 < found["captures"] else None

    def unit(self, given: str | None) -> str:
        """Return the SQL of what identifies a sample: an iteration, else a subscriber."""
        if given == ROW:
            return "NULL"
        if given == PAIR:
            return f"run || ' ' || {self.named('subscriber')} || ' ' || {self.named('server')}"
        if given == "subscriber" and "subscriber" not in [*self._own, *self._more]:
            given = "ue"
        given = UNIT_ALIASES.get(given, given) if given is not None else None
        if given is not None:
            return f"run || ' ' || {self.named(given)}" if given in _OF_A_RUN else self.named(given)
        there = [*self._own, *self._more]
        if "iteration" in there:
            seed = f"{self.named('seed')} IS NULL" if "seed" in there else "true"
            number = f"{self.named('iteration')}::VARCHAR"
            return f"CASE WHEN {seed} THEN run || ' ' || {number} ELSE {number} END"
        phone = self._subscriber()
        return "run" if phone is None else f"run || ' ' || {phone}"

    def _subscriber(self) -> str | None:
        """Return the SQL of the address by which the phone of a row is known."""
        found = first(("subscriber", "ue"), [*self._own, *self._more])
        return None if found is None else self.named(found)

    def series(self) -> str:
        """Return the SQL of a drive: the seed of the emulated channel, else the run."""
        if "seed" in [*self._own, *self._more]:
            return f"coalesce({self.named('seed')}::VARCHAR, run)"
        return "run"

    @property
    def word(self) -> str:
        """The word for one sample."""
        there = [*self._own, *self._more]
        return "iteration" if "iteration" in there else "subscriber" if "ue" in there else "run"

    def measured_in(self, name: str) -> str:
        """Return the unit in which a column is measured."""
        columns = described().get(self._table, {"columns": []})["columns"]
        declared = next((each["unit"] for each in columns if each["name"] == name), None)
        return unit_of(name) if not declared or declared == "bit/s" else str(declared)


_TRIALS = {"background": "IS NULL", "trustworthy": "IS NOT FALSE"}

_OF_TRIALS = ("iteration", "seed", "congestion_control", "sinr_mean_db", "handovers")
"""What trials know of their flows; the tables of older versions lack some."""

_OF_FLOWS = ("subscriber", "ue", "ue_port", "server", "server_port")
"""What flows know of the rows of other tables."""

_OF_A_RUN = ("uid", "session_id", "ue", "subscriber", "transfer_id", "capture")
"""The names of numbers that begin anew in each run."""

_OF_A_DATASET = ("uid", "session_id", "session", "transfer_id", "capture")
"""The units that begin anew in each dataset, so that equal numbers in two are no pair."""


def _of_flows(dataset: Tables, columns: Sequence[str]) -> str:
    """Return SQL for what the trials on each flow have in common.

    Several trials may use one connection; a column is null if they differ in it.
    """
    rows = source(dataset, "trials", "uid", *columns)
    common = ", ".join(
        f"CASE WHEN min({each}) = max({each}) THEN min({each}) END AS {each}" for each in columns
    )
    return f"(SELECT run, uid, {common} FROM {rows} WHERE uid IS NOT NULL GROUP BY run, uid)"


def _has(dataset: Tables, table: str, *columns: str) -> bool:
    """Return whether a table has rows and these columns, which an older version may lack."""
    return has(dataset, table) and not absent(dataset, table, columns)


def _restarts(dataset: Tables) -> str:
    gaps = source(dataset, "idle_gaps", "uid", "direction", "restart")
    return f"""(
        SELECT run, uid, avg((restart <> 'none')::INT)::DOUBLE AS {RESTARTS}
        FROM {gaps} WHERE direction = 'downlink' AND restart IS NOT NULL GROUP BY run, uid)"""
