"""SSH: typing, scrolling output, keep-alives, and files by SFTP and scp.

They need openssh-server and openssh-client.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds.links import chosen
from tests.programs.program import APPS, PYTHON, Case, Program, Traits, case

PORT = 2222

_SERVER = """\
Port 2222
HostKey {work}/host
AuthorizedKeysFile {work}/user.pub
StrictModes no
UsePAM no
PermitRootLogin yes
PidFile none
PrintMotd no
PrintLastLog no
Subsystem sftp internal-sftp
"""

_CLIENT = """\
Host *
    Port 2222
    User root
    IdentityFile {work}/user
    IdentitiesOnly yes
    StrictHostKeyChecking no
    UserKnownHostsFile /dev/null
    GSSAPIAuthentication no
    LogLevel ERROR
    ServerAliveInterval 2
"""

SETUP_S = 2.5
"""The time of the key exchange and the shell's start, which is not scored."""


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    traits = Traits(answers=False, setup_s=SETUP_S)
    for variant in ("typing", "scrolling", "waiting"):
        link, chance = chosen(seed, "ssh", variant)
        typed = f"{PYTHON} {APPS / 'typist.py'} {variant} {chance.randint(80, 200)}"
        client = f"{typed} | ssh -tt -F {{work}}/client {{server}}"
        yield case("ssh", variant, seed, link, _ssh(("sh", "-c", client)), traits)
    for variant in ("up", "down"):
        link, chance = chosen(seed, "sftp", variant)
        word = "put {work}/file /dev/null" if variant == "up" else "get {work}/file /dev/null"
        client = "sftp -q -F {work}/client -b {work}/batch {server}"
        program = _ssh(("sh", "-c", client), word, chance.randint(3_000_000, 6_000_000))
        yield case("sftp", variant, seed, link, program, Traits(answers=False, setup_s=1))
    link, chance = chosen(seed, "scp")
    client = "scp -q -F {work}/client {server}:{work}/file /dev/null"
    program = _ssh(("sh", "-c", client), "", chance.randint(3_000_000, 6_000_000))
    yield case("sftp", "scp", seed, link, program, Traits(answers=False, setup_s=1))


def _ssh(client: tuple[str, ...], batch: str = "", size: int = 0) -> Program:
    keys = [
        ("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", f"{{work}}/{name}")
        for name in ("host", "user")
    ]
    made = (*keys, ("truncate", "-s", str(size), "{work}/file"), ("mkdir", "-p", "/run/sshd"))
    files = {"server": _SERVER, "client": _CLIENT, "batch": batch + "\n"}
    return Program(("/usr/sbin/sshd", "-D", "-e", "-f", "{work}/server"), client, PORT, files, made)
