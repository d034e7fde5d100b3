"""An application behind a web server: PORT THINK_MS; it thinks, then answers with a few KB.

It pushes events to those who ask for them.
"""

from __future__ import annotations

import random
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Handler(BaseHTTPRequestHandler):
    """Answers each request after a time."""

    def do_GET(self) -> None:
        """Think and answer, or push events."""
        if self.path.endswith("/events"):
            self._push()
            return
        self._think()
        body = b"x" * random.randint(300, 12_000)
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self) -> None:
        """Read a form, think and answer."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def _push(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        while True:
            self._think()
            self.wfile.write(b"data: " + b"x" * random.randint(20, 2_000) + b"\n\n")

    def _think(self) -> None:
        time.sleep(float(sys.argv[2]) / 1e3 * random.uniform(0.5, 1.5))


def main() -> None:
    """Serve until the end."""
    ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()


if __name__ == "__main__":
    main()
