"""What tshark reads of TLS and HTTP in a capture, connection by connection.

tshark prints its dissection as PDML, an XML that keeps several messages of one packet apart.
"""

from __future__ import annotations

import subprocess
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.corpus.connection import End, address

Message = dict[str, Any]
"""A request (`method`) or a response (`status`, `content_type`, `length`, `range`)."""

CLIENT_HELLO, SERVER_HELLO = "1", "2"

_COMMAND = (
    *("tshark", "-n", "-T", "pdml", "-J", "ip ipv6 tcp http tls"),
    *("-o", "tcp.reassemble_out_of_order:TRUE", "-o", "http.decompress_body:FALSE"),
    *("-Y", "http || tls.handshake.type == 1 || tls.handshake.type == 2"),
)


WAYS = {
    "bodies reassembled": ("tcp.desegment_tcp_streams:TRUE", "http.desegment_body:TRUE"),
    "heads reassembled": ("tcp.desegment_tcp_streams:TRUE", "http.desegment_body:FALSE"),
    "nothing reassembled": ("tcp.desegment_tcp_streams:FALSE", "http.desegment_body:FALSE"),
}
"""tshark's preferences. The first loses messages whose body was not captured to its end, the second
those that begin within a segment behind a body, the third those whose head spans segments."""


@dataclass
class Services:
    """What one program reads of the connections between two ends, in their order."""

    hellos: list[Message] = field(default_factory=list)
    requests: list[Message] = field(default_factory=list)
    responses: list[Message] = field(default_factory=list)


def dissect(capture: Path, way: str) -> dict[frozenset[End], Services]:
    """Run tshark in one of its :data:`WAYS`."""
    options = [word for option in WAYS[way] for word in ("-o", option)]
    words = [*_COMMAND, *options, "-r", str(capture)]
    found: dict[frozenset[End], Services] = {}
    streams: set[str] = set()
    with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as tshark:
        assert tshark.stdout is not None
        for _, node in ET.iterparse(tshark.stdout):
            if node.tag == "packet":
                _packet(node, found, streams)
                node.clear()
    return found


def _packet(packet: ET.Element, found: dict[frozenset[End], Services], streams: set[str]) -> None:
    tcp = [proto for proto in packet.iter("proto") if proto.get("name") == "tcp"]
    networks = [proto for proto in packet.iter("proto") if proto.get("name") in ("ip", "ipv6")]
    if not tcp or not networks:
        return
    services = found.setdefault(_ends(networks[-1], tcp[-1]), Services())
    names = {proto.get("name") for proto in packet.iter("proto")}
    for proto in packet.iter("proto"):
        # Within TLS it is not in clear: some captures hold their keys.
        if proto.get("name") == "http" and "tls" not in names:
            _http(proto, services)
        elif proto.get("name") == "tls":
            _tls(proto, _first(tcp[-1], "tcp.stream"), services, streams)


def _ends(network: ET.Element, tcp: ET.Element) -> frozenset[End]:
    name = network.get("name")
    return frozenset(
        (address(_first(network, f"{name}.{host}")), int(_first(tcp, f"tcp.{port}")))
        for host, port in (("src", "srcport"), ("dst", "dstport"))
    )


def _http(proto: ET.Element, services: Services) -> None:
    method, status = _text(proto, "http.request.method"), _text(proto, "http.response.code")
    if method is not None:
        services.requests.append({"method": method, "host": _text(proto, "http.host")})
    elif status is not None and (status == "101" or not status.startswith("1")):
        length = _text(proto, "http.content_length_header")
        kind = (_text(proto, "http.content_type") or "").split(";")[0].strip().lower()
        services.responses.append(
            {
                "status": int(status),
                "content_type": kind or None,
                "length": None if length is None else int(length),
                "range": _range(proto),
            }
        )


def _range(proto: ET.Element) -> str | None:
    """Read ``Content-Range``, for which tshark has no field of its own."""
    for line in _texts(proto, "http.response.line"):
        name, _, value = line.partition(":")
        if name.lower() == "content-range":
            return value.strip().removeprefix("bytes ").split("/")[0]
    return None


def _tls(proto: ET.Element, stream: str, services: Services, streams: set[str]) -> None:
    """Read the first ClientHello of a stream, and the last ServerHello: the first may ask again."""
    for handshake in proto.iter("field"):
        if handshake.get("name") != "tls.handshake":
            continue
        kind = _text(handshake, "tls.handshake.type")
        protocols = list(_texts(handshake, "tls.handshake.extensions_alpn_str"))
        if kind == CLIENT_HELLO and stream not in streams:
            streams.add(stream)
            name = _text(handshake, "tls.handshake.extensions_server_name")
            # GREASE (RFC 8701 section 3.1) is no protocol.
            offered = ",".join(p for p in protocols if p.isascii() and p.isprintable()) or None
            hello = {"server_name": name and name.lower(), "alpn_offered": offered, "alpn": None}
            services.hellos.append(hello)
        elif kind == SERVER_HELLO and services.hellos:
            services.hellos[-1]["alpn"] = protocols[0] if protocols else None


def _texts(node: ET.Element, name: str) -> Iterator[str]:
    for each in node.iter("field"):
        if each.get("name") == name:
            yield each.get("show", "")


def _text(node: ET.Element, name: str) -> str | None:
    return next(_texts(node, name), None)


def _first(node: ET.Element, name: str) -> str:
    return _text(node, name) or ""
