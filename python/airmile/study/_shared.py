"""One pass over a capture that serves all exhibits of a page that read packets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from airmile._errors import InputError, UsageError
from airmile.answers import _packets
from airmile.store._needs import Missing

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.store import Tables
    from airmile.study._source import Source

Choose: TypeAlias = "Callable[[Tables], Sequence[Mapping[str, Any]]]"
"""A function that returns `run` and `uid` of the flows whose packets an exhibit reads."""


class Shared:
    """The packets that the exhibits of a page read; each is kept until all of them have read it."""

    def __init__(self, dataset: Source, choices: Sequence[Choose]) -> None:
        self._dataset: Any = dataset
        self._choices = choices
        self._tables: dict[tuple[str, int], pa.Table] = {}

    @contextmanager
    def in_use(self) -> Iterator[None]:
        """Let all reading within the block share its passes over captures."""
        token = _IN_USE.set(self)
        try:
            yield
        finally:
            _IN_USE.reset(token)

    def is_of(self, dataset: Tables) -> bool:
        """Return whether this object holds packets of the given dataset, or of a part of it."""
        own = getattr(self._dataset, "path", None), getattr(self._dataset, "point", None)
        return own == (dataset.path, dataset.point)

    def packets(
        self, opened: Tables, run: str, uids: Sequence[int]
    ) -> Iterator[tuple[int, pa.Table]]:
        """Yield flows of a run with their packets, in the order of `uids`."""
        if not self._has(run, uids):
            self._read(opened, run, uids)
        own = {uid: self._tables[run, uid] for uid in uids} if self._has(run, uids) else None
        self._awaited.subtract((run, uid) for uid in uids)
        self._tables = {key: table for key, table in self._tables.items() if self._awaited[key] > 0}
        yield from _packets.read_each(opened, uids) if own is None else own.items()

    @cached_property
    def _awaited(self) -> Counter[tuple[str, int]]:
        """Return how many exhibits have yet to read each flow."""
        return Counter(
            (flow["run"], flow["uid"]) for each in self._choices for flow in self._chosen(each)
        )

    def _chosen(self, choose: Choose) -> Sequence[Mapping[str, Any]]:
        try:
            return choose(self._dataset)
        except Missing:
            return ()

    def _has(self, run: str, uids: Sequence[int]) -> bool:
        return all((run, uid) in self._tables for uid in uids)

    def _read(self, opened: Tables, run: str, uids: Sequence[int]) -> None:
        """Read these flows, and if memory allows those of the run that other exhibits need."""
        # An exhibit may see only the flows that count for it, and others need other flows.
        opened = opened if run else self._dataset
        awaited = (
            uid for (its, uid), readers in self._awaited.items() if its == run and readers > 0
        )
        wanted = [uid for uid in dict.fromkeys((*uids, *awaited)) if (run, uid) not in self._tables]
        kept = sum(table.num_rows for table in self._tables.values())
        try:
            if kept + _packets.count(opened, wanted) <= _packets.PACKETS_AT_ONCE:
                read = _packets.read_each(opened, wanted)
                self._tables |= {(run, uid): table for uid, table in read}
        except (InputError, UsageError):
            # Another exhibit's flow may have caused the error: the caller reads its own flows
            # alone.
            return


_IN_USE: ContextVar[Shared | None] = ContextVar("_IN_USE", default=None)


def packets(
    dataset: Tables, opened: Tables, run: str, uids: Sequence[int]
) -> Iterator[tuple[int, pa.Table]]:
    """Yield flows of a run with their packets; other exhibits' flows are read in the same pass.

    Parameters
    ----------
    dataset : Tables
        The dataset of the page.
    opened : Tables
        The dataset of the run, which may be the dataset of the page itself.
    run : str
        The name of the run.
    uids : sequence of int
        The numbers of the flows, each once.
    """
    shared = _IN_USE.get()
    if shared is not None and shared.is_of(dataset):
        return shared.packets(opened, run, uids)
    return _packets.read_each(opened, uids)
