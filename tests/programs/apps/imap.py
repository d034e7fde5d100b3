"""Mail: deliver FOLDER MEAN_S puts mails into a folder, SERVER PORT SECONDS waits for them."""

from __future__ import annotations

import imaplib
import random
import sys
import time
from pathlib import Path


def _deliver() -> None:
    folder, number = Path(sys.argv[2]), 0
    while True:
        time.sleep(random.expovariate(1 / float(sys.argv[3])))
        number += 1
        made = folder / "tmp" / f"{time.time_ns()}.{number}.x"
        made.write_text("Subject: x\r\n\r\n" + "line of text\r\n" * random.randint(20, 6000))
        made.rename(folder / "new" / made.name)


def _wait() -> None:
    server, port, seconds = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
    client = imaplib.IMAP4(server, port)
    client.login("user", "secret")
    client.select("INBOX")
    until = time.monotonic() + seconds
    seen = 0
    while (left := until - time.monotonic()) > 0:
        client.send(b"X IDLE\r\n")
        client.readline()
        client.sock.settimeout(left)
        try:
            line = client.readline()
            while b"EXISTS" not in line:
                line = client.readline()
        except TimeoutError:
            break
        client.send(b"DONE\r\n")
        while not client.readline().startswith(b"X "):
            pass
        newest = int(line.split()[1])
        client.fetch(f"{seen + 1}:{newest}", "(RFC822)")
        seen = newest


if __name__ == "__main__":
    _deliver() if sys.argv[1] == "deliver" else _wait()
