"""A TCP connection, plain or under TLS, that counts the bytes of each direction."""

from __future__ import annotations

import socket
import ssl
import threading

READ_BYTES = 1 << 16


class Stream:
    """A connection that counts the bytes that TCP carries in each direction.

    Parameters
    ----------
    connection : socket.socket
        A connected socket.
    context : ssl.SSLContext or None
        The TLS settings; None for plain text.
    server_side : bool
        Whether this end is the server of the TLS handshake.
    begun : bytes
        Bytes that have already been read from the connection.
    """

    def __init__(
        self,
        connection: socket.socket,
        context: ssl.SSLContext | None = None,
        *,
        server_side: bool = False,
        begun: bytes = b"",
    ) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._connection = connection
        self._begun = begun
        self._lock = threading.Lock()
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = (
            context.wrap_bio(
                self._incoming,
                self._outgoing,
                server_side=server_side,
                server_hostname=None if server_side else NAME,
            )
            if context
            else None
        )
        self.sent = 0

    def handshake(self) -> None:
        """Do the TLS handshake, unless the connection is plain text."""
        while self._tls:
            try:
                self._tls.do_handshake()
                self._flush()
                return
            except ssl.SSLWantReadError:
                self._flush()
                self._feed()

    def send(self, data: bytes) -> tuple[int, int]:
        """Send data; return its first byte and the one after its last, as stream offsets."""
        with self._lock:
            began = self.sent
            if self._tls is None:
                self._write(data)
            else:
                self._tls.write(data)
                self._flush()
            return began, self.sent

    def receive(self, most: int = READ_BYTES) -> bytes:
        """Return the data that has arrived; empty when the peer has closed the connection."""
        if self._tls is None:
            data, self._begun = self._begun, b""
            return data or self._connection.recv(most)
        while True:
            try:
                with self._lock:
                    return self._tls.read(most)
            except ssl.SSLWantReadError:
                self._feed(most)
            except (ssl.SSLZeroReturnError, ssl.SSLEOFError):
                return b""

    def _feed(self, most: int = READ_BYTES) -> None:
        data, self._begun = self._begun, b""
        data = data or self._connection.recv(most)
        with self._lock:
            if data:
                self._incoming.write(data)
            else:
                self._incoming.write_eof()

    def _flush(self) -> None:
        self._write(self._outgoing.read())

    def _write(self, data: bytes) -> None:
        self._connection.sendall(data)
        self.sent += len(data)


NAME = "server.example"
"""The server's name in its certificate and in the client's SNI (RFC 6066 section 3)."""


def client_context(version: str, protocol: str) -> ssl.SSLContext | None:
    """Return the TLS settings of the client; None for plain text."""
    if not version:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    # The certificate is signed by the run itself, not by an authority.
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    context.minimum_version = context.maximum_version = _VERSIONS[version]
    context.set_alpn_protocols([_ALPN[protocol]])
    return context


_VERSIONS = {"1.2": ssl.TLSVersion.TLSv1_2, "1.3": ssl.TLSVersion.TLSv1_3}
_ALPN = {"http1": "http/1.1", "h2": "h2"}
