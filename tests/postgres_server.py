"""A PostgreSQL server for the tests: Debian's programs, a data folder of its own, loopback only, no privileges."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

OWNER, READER, STRANGER = "owner", "reader", "stranger"
PASSWORDS = {OWNER: "owner's word", READER: "reader's word", STRANGER: "stranger's word"}
DATABASE = "preds"
SETTINGS = {"fsync": "off", "full_page_writes": "off", "max_wal_size": "2GB", "shared_buffers": "64MB", "jit": "off"}
"""A server that lives for a test need not survive a power cut."""
ROLES = f"""
CREATE ROLE {READER} LOGIN PASSWORD 'reader''s word';
CREATE ROLE {STRANGER} LOGIN PASSWORD 'stranger''s word';
REVOKE ALL ON DATABASE postgres FROM PUBLIC;
"""


def programs():
    """The folder of the newest server that is installed; None where there is none."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    on_path = shutil.which("initdb")
    return folders[-1] if folders else Path(on_path).parent if on_path else None


def unprivileged():
    """Who runs the server, which refuses to be root's."""
    if os.getuid() != 0:
        return {}
    names = {user.pw_name: user for user in pwd.getpwall()}
    user = names.get("postgres") or names["nobody"]
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


class Server:
    """A server that is running, and the addresses of its tables."""

    def __init__(self, folder, port, process):
        self.folder, self.port, self.process = folder, port, process

    def address(self, table="", *, user=READER, database=DATABASE):
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}{'#' if table else ''}{table}"

    def connection(self, database=DATABASE, user=OWNER):
        import psycopg

        return psycopg.connect(self.address(user=user, database=database), password=PASSWORDS[user], autocommit=True)

    def store(self, name, rows, schema="public"):
        """A table of Arrow data, which the reader may read."""
        import psycopg

        kinds = [f"{quoted(field.name)} {KINDS[str(field.type)]}" for field in rows.schema]
        table = f"{quoted(schema)}.{quoted(name)}"
        with self.connection() as connection:
            connection.execute(f"CREATE TABLE {table} ({', '.join(kinds)})")
            with connection.cursor() as cursor, cursor.copy(f"COPY {table} FROM STDIN") as copy:
                columns = [column.to_pylist() for column in rows.columns]
                for row in zip(*columns, strict=True):
                    copy.write_row(row)
            connection.execute(f"GRANT SELECT ON {table} TO {READER}")
            connection.execute(f"ANALYZE {table}")
        assert psycopg
        return name

    def stop(self):
        """At once, as an operator would who does not wait for clients."""
        self.process.send_signal(signal.SIGINT)
        self.process.wait(30)


KINDS = {
    "int64": "bigint", "int32": "integer", "int16": "smallint", "double": "double precision", "float": "real",
    "string": "text", "bool": "boolean", "date32[day]": "date", "decimal128(5, 4)": "numeric(5, 4)",
}  # fmt: skip


def quoted(identifier):
    return '"' + identifier.replace('"', '""') + '"'


@contextmanager
def postgres_server():
    """A server with an owner, a reader and a role without rights, stopped and removed at the end."""
    folder = Path(tempfile.mkdtemp(prefix="referee-postgres-"))
    who = unprivileged()
    if who:
        os.chown(folder, who["user"], who["group"])
    server = None
    try:
        server = _started(folder, who)
        yield server
    finally:
        if server is not None and server.process.poll() is None:
            server.stop()
        shutil.rmtree(folder)


def _started(folder, who):
    data, secret = folder / "data", folder / "secret"
    secret.write_text(PASSWORDS[OWNER])
    secret.chmod(0o644)
    run = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, **who}
    made = [programs() / "initdb", "-D", data, "-U", OWNER, "--pwfile", secret, "--auth", "scram-sha-256", "--no-sync"]
    subprocess.run([*made, "--encoding", "UTF8", "--locale", "C"], check=True, **run)
    port = _free_port()
    told = [part for name, value in SETTINGS.items() for part in ("-c", f"{name}={value}")]
    command = [programs() / "postgres", "-D", data, "-p", str(port), "-h", "127.0.0.1", "-k", folder, *told]
    with (folder / "log").open("wb") as log:
        process = subprocess.Popen(command, cwd=folder, stdout=log, stderr=log, **who)
    server = Server(folder, port, process)
    _wait(server)
    with server.connection("postgres") as connection:
        connection.execute(f"CREATE DATABASE {DATABASE}")
        connection.execute(ROLES)
        # No role but the owner may make a temporary table.
        connection.execute(f"REVOKE TEMPORARY ON DATABASE {DATABASE} FROM PUBLIC")
    return server


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait(server, seconds=60):
    import psycopg

    until = time.monotonic() + seconds
    while True:
        try:
            return server.connection("postgres").close()
        except psycopg.OperationalError:
            if time.monotonic() > until or server.process.poll() is not None:
                raise RuntimeError((server.folder / "log").read_text()) from None
            time.sleep(0.05)
