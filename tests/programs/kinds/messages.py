"""Messages: WebSocket, IMAP IDLE, MQTT, SMTP, streaming RPC, and SQL.

They need dovecot-imapd, mosquitto, mosquitto-clients, postgresql, mariadb-server and curl, and the
Python packages websockets, aiosmtpd and grpcio (`AIRMILE_PROGRAMS_PYTHON` names an interpreter with
them).
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.programs.kinds.links import chosen
from tests.programs.program import APPS, PYTHON, Case, Program, Traits, case

PUSHES = Traits(answers=False)


def cases(seed: int) -> Iterator[Case]:
    """Give every case of a seed."""
    yield from _chat(seed)
    yield from _mail(seed)
    yield from _mqtt(seed)
    yield from _rpc(seed)
    yield from _postgres(seed)
    yield from _mariadb(seed)


def _app(name: str, *words: object) -> tuple[str, ...]:
    return (PYTHON, str(APPS / name), *map(str, words))


def _chat(seed: int) -> Iterator[Case]:
    """Give a chat over WebSocket, with pushes by the server and pings of both ends."""
    for variant, most in (("busy", 1500), ("sparse", 1500), ("images", 250_000)):
        link, chance = chosen(seed, "chat", variant)
        mean_s = chance.uniform(0.4, 0.8) if variant != "sparse" else chance.uniform(1.5, 2.5)
        server = _app("chat.py", "serve", 8765, round(mean_s, 2), most)
        client = _app("chat.py", "ws://{server}:8765", 10, round(mean_s * 1.3, 2), most)
        yield case("websocket", variant, seed, link, Program(server, client, 8765), PUSHES)


_DOVECOT = """\
base_dir = {work}/run
state_dir = {work}/state
protocols = imap
listen = *
ssl = no
disable_plaintext_auth = no
log_path = {work}/dovecot.log
mail_location = maildir:{work}/mail
first_valid_uid = 0
mail_uid = 65523
mail_gid = 65523
passdb {
  driver = static
  args = password=secret
}
userdb {
  driver = static
  args = uid=65523 gid=65523 home={work}/home
}
service imap-login {
  chroot =
  inet_listener imap {
    port = 1143
  }
}
"""


def _mail(seed: int) -> Iterator[Case]:
    """Give IMAP IDLE, with mails that arrive."""
    link, chance = chosen(seed, "imap")
    deliver = f"{PYTHON} {APPS / 'imap.py'} deliver {{work}}/mail {chance.uniform(1.5, 3):.2f}"
    server = ("sh", "-c", f"{deliver} & exec dovecot -F -c {{work}}/dovecot.conf")
    client = _app("imap.py", "{server}", 1143, 14)
    files = {"dovecot.conf": _DOVECOT}
    folders = "mkdir -p {work}/mail/new {work}/mail/cur {work}/mail/tmp {work}/home"
    made = (("sh", "-c", f"{folders}; chown -R 65523:65523 {{work}}/mail {{work}}/home"),)
    yield case(
        "imap idle", "dovecot", seed, link, Program(server, client, 1143, files, made), PUSHES
    )
    yield from _smtp(seed)


def _smtp(seed: int) -> Iterator[Case]:
    """Give mails that the server looks at before it takes them."""
    for variant, most in (("small", 30_000), ("large", 4_000_000)):
        link, chance = chosen(seed, "smtp", variant)
        size = chance.randint(most // 3, most)
        server = _app("smtp.py", 2525, round(chance.uniform(200, 900)))
        send = "curl -q -sS --crlf smtp://{server}:2525 --mail-from a@x.example "
        send += "--mail-rcpt b@x.example --upload-file {work}/mail"
        client = ("sh", "-c", f"{send}; sleep 1; {send}")
        program = Program(server, client, 2525, prepare=(_message(size),))
        yield case("smtp", variant, seed, link, program)


def _message(size: int) -> tuple[str, ...]:
    text = f"(printf 'Subject: x\\r\\n\\r\\n'; head -c {size} /dev/zero | base64) > {{work}}/mail"
    return ("sh", "-c", text)


def _mqtt(seed: int) -> Iterator[Case]:
    """Give a subscriber and a publisher of MQTT, with keep-alives."""
    for variant, pause in (("readings", "0.7"), ("keep-alive", "9")):
        link, _ = chosen(seed, "mqtt", variant)
        sent = f"for i in 1 2 3 4 5 6 7 8; do sleep {pause}; echo reading $i of a sensor; done"
        sent = sent if variant == "readings" else f"sleep {pause}; echo one reading"
        client = (
            "mosquitto_sub -h {server} -p 1884 -t a -q 1 -k 5 & "
            f"({sent}; sleep 2) | mosquitto_pub -h {{server}} -p 1884 -t a -q 1 -k 5 -l; kill %1"
        )
        server = ("mosquitto", "-c", "{work}/mosquitto.conf")
        files = {"mosquitto.conf": "listener 1884 0.0.0.0\nallow_anonymous true\nuser root\n"}
        program = Program(server, ("bash", "-mc", client), 1884, files)
        yield case("mqtt", variant, seed, link, program, PUSHES)


def _rpc(seed: int) -> Iterator[Case]:
    """Give calls and streams of gRPC, in both directions."""
    for variant in ("unary", "download", "upload", "both"):
        link, chance = chosen(seed, "rpc", variant)
        pause_ms = chance.choice([50, 150, 400])
        server = _app("rpc.py", "serve", 50051, pause_ms)
        client = _app("rpc.py", "{server}:50051", variant, pause_ms, 8)
        program = Program(server, client, 50051)
        traits = Traits(answers=variant == "unary", least_request=41)
        yield case("rpc", variant, seed, link, program, traits)


def _postgres(seed: int) -> Iterator[Case]:
    """Give queries that think, between pauses."""
    link, chance = chosen(seed, "postgres")
    postgres = "/usr/lib/postgresql/15/bin"
    data = "{work}/data"
    made = (
        ("chmod", "777", "{work}"),
        ("su", "postgres", "-c", f"{postgres}/initdb -A trust -D {data}"),
        ("sh", "-c", f"echo host all all 0.0.0.0/0 trust >> {data}/pg_hba.conf"),
    )
    settings = ("-c", "listen_addresses=*", "-c", "unix_socket_directories={work}")
    server = (f"{postgres}/postgres", "-D", data, "-p", "5433", *settings)
    client = ("psql", "-h", "{server}", "-p", "5433", "-U", "postgres", "-q", "-f", "{work}/sql")
    lines = _queries(chance.randint(3, 6), "select pg_sleep({}), 1;", "\\! sleep {}")
    rows = f"select i, md5(i::text) from generate_series(1, {chance.randint(2, 40)}000) i;"
    # A table is filled from the phone, and read again.
    filled = "create table t(x text);\n\\copy t from {work}/rows\nselect count(*) from t;\n"
    text = "x" * 99 + "\n"
    files = {"sql": f"{lines}{rows}\n{filled}{lines}", "rows": text * chance.randint(4000, 20000)}
    program = Program(server, client, 5433, files, made, user="postgres")
    yield case("sql", "postgresql", seed, link, program)


def _mariadb(seed: int) -> Iterator[Case]:
    link, chance = chosen(seed, "mariadb")
    lines = _queries(chance.randint(3, 6), "select sleep({}), 1;", "system sleep {}")
    made = (("mariadb-install-db", "--user=root", "--datadir={work}/data", "--skip-test-db"),)
    where = ("--datadir={work}/data", "--socket={work}/socket", "--pid-file={work}/pid")
    open_to_all = ("--port=3307", "--skip-grant-tables", "--skip-name-resolve")
    server = ("mariadbd", "--no-defaults", "--user=root", *where, *open_to_all)
    ask = "mariadb --no-defaults -h {server} -P 3307 --ssl=0 < {work}/sql"
    program = Program(server, ("sh", "-c", ask), 3307, {"sql": lines}, made)
    yield case("sql", "mariadb", seed, link, program)


def _queries(count: int, think: str, pause: str) -> str:
    lines = ""
    for number in range(count):
        lines += think.format(0.05 * (1 + number % 4) ** 2) + "\n"
        lines += pause.format(0.2 + 0.3 * (number % 3)) + "\n"
    return lines
