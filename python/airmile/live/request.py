"""The parts of an HTTP request that `airmile live` reads (RFC 9112, RFC 9110)."""

from __future__ import annotations

import ipaddress
from collections.abc import Collection
from dataclasses import dataclass, field
from http import HTTPStatus


class Refused(Exception):  # noqa: N818  # no error of ours
    """A request to which the answer is only an error status.

    Parameters
    ----------
    status : HTTPStatus
        The status of the answer.
    reason : str
        What is wrong, and what to do.
    """

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(status, reason)
        self.status, self.reason = status, reason


@dataclass(frozen=True)
class Request:
    """A parsed HTTP request.

    Attributes
    ----------
    method : str
        GET or HEAD.
    path : str
        The path of the request without the query.
    fields : dict
        The header fields, by names in lower case.
    """

    method: str
    path: str
    fields: dict[str, str] = field(default_factory=dict)


def parse(head: bytes, hosts: Collection[str]) -> Request:
    """Return the request that a head describes.

    Raises
    ------
    Refused
        The head is not a valid request, has another method, or names a host that is neither an
        address nor in `hosts`.
    """
    line, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    words = line.split(" ")
    if len(words) != 3 or not words[2].startswith("HTTP/1."):
        raise Refused(HTTPStatus.BAD_REQUEST, "not a request of HTTP/1")
    if words[0] not in ("GET", "HEAD"):
        raise Refused(HTTPStatus.NOT_IMPLEMENTED, "only GET and HEAD are answered")
    fields = _fields(lines)
    if not _is_ours(fields.get("host"), words[2], hosts):
        raise Refused(
            HTTPStatus.MISDIRECTED_REQUEST, "this host is not served; airmile live --allow-host"
        )
    return Request(words[0], words[1].split("?", 1)[0], fields)


def _fields(lines: list[str]) -> dict[str, str]:
    fields: dict[str, str] = {}
    for line in lines:
        name, colon, value = line.partition(":")
        key = name.lower()
        if not colon or name != name.strip() or (key == "host" and key in fields):
            raise Refused(HTTPStatus.BAD_REQUEST, "a line of the header is not a field")
        fields[key] = value.strip()
    return fields


def _is_ours(host: str | None, version: str, hosts: Collection[str]) -> bool:
    """Return whether a Host field names this machine.

    A foreign web page can let its own host name resolve to this machine (DNS rebinding). The
    browser then sends that name in the Host field. The attack does not work with an address.
    """
    if host is None:
        return version == "HTTP/1.0"
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    if name.lower() in {"localhost", *(each.lower() for each in hosts)}:
        return True
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
