"""An analysis as it is used from Python: its tables, and the answers about them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING

from airmile._errors import UsageError
from airmile.store.tables import Tables

if TYPE_CHECKING:
    import pyarrow as pa

    from airmile.printed import Radio, Verdict


def _summary(dataset: Dataset) -> pa.Table:
    """Return the view `summary`, which most queries do not need and takes a verdict."""
    from airmile.answers.verdict._summary import summary

    return summary(dataset.verdict)


class Dataset(Tables):
    """The tables of one analysis, and the verdict that follows from them.

    It is :class:`airmile.store.Tables` with the answers as attributes: `verdict`, `radio`, the
    packets of a flow, and in SQL the view `summary`. Being these tables, it can be given to every
    function that takes tables, and `where` and `at` return a `Dataset` again.

    Every table is an attribute (`flows`, `transfers`, `slices`, ...) and gives a
    :class:`pyarrow.Table`, whose fields carry unit and description as metadata. Parameters and
    errors are those of `Tables`; the verdict raises the same errors as a table.

    Examples
    --------
    >>> import airmile
    >>> dataset = airmile.open(example)
    >>> dataset.flows["server_port"].to_pylist()
    [80]
    >>> dataset.verdict.limited_by
    'lte_downlink'
    >>> dataset.sql("SELECT cause FROM slices ORDER BY bytes DESC LIMIT 1").to_pydict()
    {'cause': ['lte_downlink']}
    """

    computed_views = MappingProxyType({"summary": _summary})

    @cached_property
    def verdict(self) -> Verdict:
        """What limited the capture, its flows and its transfers."""
        from airmile.answers.verdict._judge import judge
        from airmile.printed import Verdict, printed

        return printed(Verdict, self.once(judge))

    @cached_property
    def radio(self) -> Radio:
        """What the modem logs show: whether the downlink was the bottleneck.

        Raises
        ------
        UsageError
            The dataset was written without a modem log.
        """
        from airmile.answers.radio.findings import find
        from airmile.printed import Radio, printed

        if not self.manifest.get("modem"):
            raise UsageError(
                f"{self.path} holds no modem log",
                "`airmile radio LOG --capture FILE` reads one beside a capture",
            )
        with self.held():
            return printed(Radio, find(self))

    def packets(self, uid: int) -> pa.Table:
        """Return the packets of one TCP flow with their facts, read from the captures again.

        Parameters
        ----------
        uid : int
            The number of the flow in the table `flows`.

        Returns
        -------
        pyarrow.Table
            One row per packet: time, direction, offsets, class, ACK, window, SACK blocks, bytes in
            flight, round trips. The metadata of a column describe it.

        Raises
        ------
        UsageError
            There is no such TCP flow.
        InputError
            The captures no longer exist, or have changed since the analysis.

        Examples
        --------
        >>> import airmile
        >>> dataset = airmile.open(example)
        >>> packets = dataset.packets(dataset.flows["uid"][0].as_py())
        >>> packets.num_rows, packets["flags"][0].as_py()
        (15472, 'S')
        """
        from airmile.answers._packets import read

        return read(self, uid)

    def packets_of(self, uids: Iterable[int]) -> Iterator[tuple[int, pa.Table]]:
        """Yield several TCP flows with their packets; one pass over the captures serves many flows.

        Parameters
        ----------
        uids : iterable of int
            The numbers of the flows in the table `flows`.

        Yields
        ------
        int
            The number of a flow, in the order given, each once.
        pyarrow.Table
            Its packets, as :meth:`packets` returns them.

        Raises
        ------
        UsageError
            One of the numbers is not that of a TCP flow in this dataset.
        InputError
            The captures no longer exist, or have changed since the analysis.

        Notes
        -----
        One pass over the captures keeps up to 524,288 packets of several flows in memory; more
        packets take more passes.

        Examples
        --------
        >>> import airmile
        >>> dataset = airmile.open(example)
        >>> uids = dataset.flows["uid"].to_pylist()
        >>> [packets.num_rows for _, packets in dataset.packets_of(uids)]
        [15472]
        """
        from airmile.answers._packets import read_each

        return read_each(self, uids)


def open(path: str | os.PathLike[str]) -> Dataset:
    """Open a dataset that was written before.

    Parameters
    ----------
    path : str or path
        The directory, as ``run7.airmile``.

    Returns
    -------
    Dataset
        Its tables and its verdict.

    Examples
    --------
    >>> import airmile
    >>> "flows" in airmile.open(example).tables
    True
    """
    return Dataset(path)
