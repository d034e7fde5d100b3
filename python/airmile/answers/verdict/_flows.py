"""The flows of a dataset by weight, and finding one by name.

The heaviest flow is the one with the most payload in both directions together; of equal flows the
one with the smaller uid. It has rank 1. A rank counts all flows of the dataset, even if a list
omits some.
"""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from airmile._errors import UsageError
from airmile._words import counted, printable
from airmile.store import _sql
from airmile.store._needs import absent, contains, null
from airmile.store._rows import rows

if TYPE_CHECKING:
    from airmile.store import Tables

OFFERED = 3
"""The most flows that are proposed for an unknown flow."""

LONGEST_UID = len(str(2**64 - 1))

LONGEST_PORT = len("65535")

BYTES = "coalesce(dl_payload_bytes, 0) + coalesce(ul_payload_bytes, 0)"
"""The SQL of a flow's weight in bytes."""


@dataclass(frozen=True)
class Found:
    """The flow that a uid, a rank or a server identifies.

    Attributes
    ----------
    uid : int
        The number of the flow in the table `flows`.
    rank : int
        The position of the flow by weight, 1 for the heaviest.
    protocol : str
        The protocol of the flow, as in the table `flows`.
    place : str
        The server and its port.
    alike : int
        Number of lighter TCP flows to the same server, if a server was given.
    """

    uid: int
    rank: int
    protocol: str
    place: str
    alike: int = 0

    @property
    def choice(self) -> str | None:
        """A note that several flows match; None if only one does."""
        if not self.alike:
            return None
        flows = counted(self.alike + 1, "flow")
        return f"{flows} to {self.place}: the heaviest is taken, uid {self.uid} (rank {self.rank})"


def find(dataset: Tables, wanted: str) -> Found:
    """Find a TCP flow by its uid, its rank, or its server.

    Parameters
    ----------
    dataset : Tables
        The dataset with the flows.
    wanted : str
        ``HOST`` or ``HOST:PORT`` (address or name of the server, ``[ADDRESS]:PORT`` for IPv6),
        which selects the heaviest flow to this server; or a number. A number that is the uid of a
        flow selects that flow; any other number, from 1 to the number of flows, is a rank by
        weight.

    Raises
    ------
    UsageError
        There is no such TCP flow.

    Examples
    --------
    >>> import airmile
    >>> dataset = airmile.open(example)
    >>> find(dataset, "10.73.0.2:80") == find(dataset, "1")
    True
    """
    found = (_by_number if _is_number(wanted) else _by_place)(dataset, wanted)
    if not found:
        raise UsageError(f"{dataset.path} has no flow {printable(wanted)}", offer(dataset))
    first = found[0]
    if first.protocol != "tcp":
        raise UsageError(
            f"flow {first.uid} ({first.place}) is {first.protocol}: only TCP flows are judged and "
            "drawn",
            offer(dataset),
        )
    return first


def heaviest(dataset: Tables) -> Found | None:
    """Return the heaviest TCP flow; None if none has payload."""
    found = _select(dataset, f"protocol = 'tcp' AND {BYTES} > 0", limit=1)
    return found[0] if found else None


def ranked(dataset: Tables) -> str:
    """Return the SQL of `flows` with `rank`, and with a null `server_name` if it is absent."""
    order = f"{BYTES} DESC, {'' if absent(dataset, 'flows', ['run']) else 'run, '}uid"
    name = f", {null('flows', 'server_name')}" if absent(dataset, "flows", ["server_name"]) else ""
    return f"(SELECT row_number() OVER (ORDER BY {order}) AS rank, *{name} FROM flows)"


def offer(dataset: Tables) -> str:
    """Return a hint with the heaviest TCP flows."""
    largest = _select(dataset, "protocol = 'tcp'", OFFERED)
    if not largest:
        return "there is no TCP flow in it"
    named = (f"{flow.place} (rank {flow.rank}, uid {flow.uid})" for flow in largest)
    return f"the heaviest TCP flows are {', '.join(named)}; `airmile flows` lists all"


def place(row: dict[str, Any]) -> str:
    """Return the server of a flow by name, if it is known, or by address.

    >>> place({"server": "2001:db8::1", "server_name": None, "server_port": 443})
    '[2001:db8::1]:443'
    """
    host, port = row["server_name"] or row["server"] or "-", row["server_port"]
    whole = host if port is None else f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    return printable(whole)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def _by_number(dataset: Tables, wanted: str) -> list[Found]:
    if len(wanted) > LONGEST_UID:
        return []
    return _select(dataset, f"uid = {wanted}") or _select(dataset, f"rank = {wanted}")


def _by_place(dataset: Tables, wanted: str) -> list[Found]:
    host, port = _host_and_port(wanted)
    address = _address(host)
    name = _sql.literal(host.rstrip(".").lower())
    meant = f"server = {_sql.literal(address)}" if address else f"lower(server_name) = {name}"
    condition = meant if port is None else f"{meant} AND server_port = {port}"
    found = _select(dataset, condition)
    if not found or found[0].protocol != "tcp":
        return found
    first, alike = found[0], sum(flow.protocol == "tcp" for flow in found) - 1
    return [Found(first.uid, first.rank, first.protocol, printable(wanted), alike)]


def _host_and_port(wanted: str) -> tuple[str, int | None]:
    """Split ``HOST[:PORT]``; an IPv6 address without brackets has no port."""
    if wanted.startswith("["):
        host, _, rest = wanted[1:].partition("]")
        port = rest.removeprefix(":")
    elif wanted.count(":") == 1:
        host, _, port = wanted.partition(":")
    else:
        host, port = wanted, ""
    if port and not (_is_number(port) and len(port) <= LONGEST_PORT and int(port) < 65536):
        raise UsageError(
            f"no flow {printable(wanted)}: {printable(port)} is not a port",
            "name a uid, a rank, HOST or HOST:PORT",
        )
    return host, int(port) if port else None


def _address(host: str) -> str | None:
    """Return an address as in the tables (RFC 5952); None for a name."""
    try:
        return ipaddress.ip_address(host).compressed
    except ValueError:
        return None


def _select(dataset: Tables, condition: str, limit: int | None = None) -> list[Found]:
    """Return the flows that meet a condition, TCP first, then by rank."""
    if not contains(dataset, "flows"):
        return []
    found = rows(
        dataset,
        f"""SELECT rank, uid, protocol, server, server_name, server_port FROM {ranked(dataset)}
        WHERE uid IS NOT NULL AND ({condition})
        ORDER BY protocol <> 'tcp', rank {f"LIMIT {limit}" if limit else ""}""",
    )
    return [Found(row["uid"], row["rank"], row["protocol"], place(row)) for row in found]
