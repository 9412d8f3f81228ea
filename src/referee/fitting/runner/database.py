"""The SQLite file of a store: a record per key, and a seal over all of them that shows if one is missing."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import sqlite3
import stat
import tempfile
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from referee.errors import CheckpointError, WriteError
from referee.fitting.runner.records import CHECKSUM_SIZE, Packed, checksum, key_bytes, to_json

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Iterator, Mapping
    from pathlib import Path

FILE, LOCK, PARTS = "results.sqlite", "lock", "parts"
"""What a store has in its folder, beside what SQLite makes."""
ROOM = 1 << 18
"""Bytes that must be free before work begins."""

_WORDS = {
    "read-only": (errno.EROFS, errno.EACCES, errno.EPERM, "SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM"),
    "no space left": (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, "SQLITE_FULL"),
    "no space left, or the disk fails": ("SQLITE_IOERR",),
    "in use by another program": ("SQLITE_BUSY", "SQLITE_LOCKED"),
    "a file is in the way": (errno.ENOTDIR, errno.EEXIST),
}


def cannot_write(folder: Path, error: OSError | sqlite3.Error) -> WriteError:
    """What a failed write means for the user.

    >>> from pathlib import Path
    >>> cannot_write(Path("runs"), OSError(errno.ENOSPC, "No space left on device")).message
    "store='runs' cannot be written: no space left (No space left on device)"
    """
    said = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
    code = error.errno if isinstance(error, OSError) else getattr(error, "sqlite_errorname", "")
    causes = [
        words
        for words, codes in _WORDS.items()
        if any(code == known or (isinstance(known, str) and str(code).startswith(f"{known}_")) for known in codes)
    ]
    what = f"{causes[0]} ({said})" if causes else said
    return WriteError("E_WRITE", f"--out {folder} cannot be written: {what}", hint="results so far are kept")


def check_writable(folder: Path) -> None:
    """Make the folder, and try it with a file that never has a name."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder) as probe:
            probe.write(bytes(ROOM))
            probe.flush()
            os.fsync(probe.fileno())
    except OSError as error:
        raise cannot_write(folder, error) from error


def refuse_detours(folder: Path) -> None:
    """Stop where a file of a store leads out of its folder, or is none, as a stranger may have made it."""
    for name in (LOCK, PARTS, FILE, *(f"{FILE}-{beside}" for beside in ("wal", "shm", "journal"))):
        try:
            mode = (folder / name).lstat().st_mode
        except FileNotFoundError:
            continue
        except OSError as error:
            raise cannot_write(folder, error) from error
        if not (stat.S_ISDIR if name == PARTS else stat.S_ISREG)(mode):
            raise damaged(folder, f"{name!r} in it is not an ordinary {'folder' if name == PARTS else 'file'}")


class FolderLock:
    """One process at a time; the system lifts the lock when the process ends, whatever becomes of the file.

    The file only tells others who it is.
    """

    def __init__(self, folder: Path) -> None:
        try:
            handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o666)
            self._file = os.fdopen(handle, "r+b", buffering=0)
        except OSError as error:
            raise cannot_write(folder, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise self._held_by_another(folder) from None
        except OSError as error:
            self._file.close()
            raise cannot_write(folder, error) from error
        # Who holds it is good to know, but not worth a failure.
        with suppress(OSError):
            self._file.truncate(0)
            self._file.write(str(os.getpid()).encode())

    def _held_by_another(self, folder: Path) -> WriteError:
        with self._file:
            holder = self._file.read(20).decode(errors="replace")
        return WriteError(
            "E_WRITE",
            f"--out {folder} is in use by process {holder or '(not known)'}",
            hint="wait until it ends, or use another folder",
        )

    def release(self) -> None:
        self._file.close()


HINT = "resume with the same inputs, or use another folder"


def check_identity(folder: Path, stored: Mapping[str, str], wanted: Mapping[str, str]) -> None:
    """Refuse a store whose identity is not the wanted one, with the parts that differ."""
    theirs, ours = stored.get("version", ""), wanted.get("version", "")
    if _version_number(theirs) > _version_number(ours):
        raise written_by_newer(folder, f"{theirs}, this is {ours}")
    different = [part for part in {**wanted, **stored} if stored.get(part) != wanted.get(part)]
    if different:
        raise CheckpointError("E_CKPT", f"checkpoint {folder} differs: {', '.join(different)}", hint=HINT)


def written_by_newer(folder: Path, what: str) -> CheckpointError:
    return CheckpointError("E_CKPT", f"checkpoint {folder} was written by a newer version ({what})", hint=HINT)


def _version_number(version: str) -> list[int]:
    return [int(digits) for digits in re.findall(r"\d+", version)]


APPLICATION = 0x72656665
FORMAT = 1
SCHEMA = f"""
BEGIN IMMEDIATE;
CREATE TABLE state (identity BLOB NOT NULL, checksum BLOB NOT NULL, seal BLOB NOT NULL);
CREATE TABLE records (key BLOB PRIMARY KEY, json BLOB NOT NULL, arrays BLOB NOT NULL, checksum BLOB NOT NULL);
PRAGMA application_id = {APPLICATION};
PRAGMA user_version = {FORMAT};
"""
NO_KEY = "a record has no key or no checksum"
INSIDE = {("table", "state"), ("table", "records"), ("index", "sqlite_autoindex_records_1")}
NOT_DAMAGE = (
    "SQLITE_FULL", "SQLITE_BUSY", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHM", "SQLITE_IOERR_FSYNC",
    "SQLITE_IOERR_TRUNCATE",
)  # fmt: skip


class Database:
    """Records of one run; every call either happens as a whole or not at all."""

    def __init__(self, folder: Path, identity: Mapping[str, str] | None) -> None:
        """With an identity the file is made if it is not there; without one it is only read."""
        self._folder = folder
        with self._reading():
            self._connection = self._connected(is_written=identity is not None)
        try:
            with self._reading():
                is_new = self._is_new()
                if is_new and identity is None:
                    raise damaged(self._folder, "it holds no records")
                if is_new:
                    self._create(identity or {})
                self.identity, _ = self._state()
        except BaseException:
            self._connection.close()
            raise

    def _connected(self, is_written: bool) -> sqlite3.Connection:
        if is_written:
            return self._opened("", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL")
        try:
            return self._opened("?mode=ro", "SELECT * FROM sqlite_master")
        except sqlite3.OperationalError:
            if (self._folder / f"{FILE}-wal").exists():
                raise
            # On a read-only disk SQLite cannot make the files of its write-ahead log; without one it needs none.
            return self._opened("?immutable=1")

    def _opened(self, how: str, *statements: str) -> sqlite3.Connection:
        path = quote(str((self._folder / FILE).absolute()))
        connection = sqlite3.connect(f"file:{path}{how}", uri=True, isolation_level=None)
        try:
            for statement in statements:
                connection.execute(statement).fetchone()
        except BaseException:
            connection.close()
            raise
        return connection

    def _is_new(self) -> bool:
        ((application,),) = self._connection.execute("PRAGMA application_id")
        ((version,),) = self._connection.execute("PRAGMA user_version")
        ((tables,),) = self._connection.execute("SELECT count(*) FROM sqlite_master")
        if application == 0 and tables == 0:
            return True
        if application != APPLICATION or version < FORMAT:
            raise CheckpointError("E_CKPT", f"checkpoint {self._folder / FILE} is not a referee checkpoint", hint=HINT)
        if version > FORMAT:
            raise written_by_newer(self._folder, f"format {version}, this is {FORMAT}")
        self._refuse_other_tables()
        return False

    def _refuse_other_tables(self) -> None:
        """A view may take for ever to read, and a trigger would change what is written."""
        inside = self._connection.execute("SELECT type, name FROM sqlite_master").fetchall()
        if set(inside) != INSIDE:
            other = sorted(set(inside) ^ INSIDE)[0]
            raise damaged(self._folder, f"it does not hold what every checkpoint holds ({' '.join(other)})")

    def _create(self, identity: Mapping[str, str]) -> None:
        content = to_json(identity)
        state = (content, checksum(content), bytes(CHECKSUM_SIZE))
        try:
            self._connection.executescript(SCHEMA)
            self._connection.execute("INSERT INTO state VALUES (?, ?, ?)", state)
            self._connection.execute("COMMIT")
        except sqlite3.Error as error:
            raise cannot_write(self._folder, error) from error

    def _state(self) -> tuple[dict[str, str], bytes]:
        rows = self._connection.execute("SELECT identity, checksum, seal FROM state").fetchall()
        if len(rows) != 1 or not all(isinstance(value, bytes) for value in rows[0]):
            raise damaged(self._folder, "its first record is missing")
        identity, expected, seal = rows[0]
        if checksum(identity) != expected:
            raise damaged(self._folder, "the record of its identity fails its checksum")
        return self._names(identity), seal

    def _names(self, identity: bytes) -> dict[str, str]:
        try:
            names = json.loads(identity)
        except (ValueError, RecursionError):
            names = None
        if not isinstance(names, dict) or not all(isinstance(value, str) for value in names.values()):
            raise damaged(self._folder, "the record of its identity cannot be understood")
        return names

    def checksums(self) -> dict[str, bytes]:
        """Each key's checksum; all of them must be there."""
        with self._reading():
            # One look at both, as another process may be writing.
            self._connection.execute("BEGIN")
            try:
                rows = self._connection.execute("SELECT key, checksum FROM records").fetchall()
                _, sealed = self._state()
            finally:
                self._connection.execute("COMMIT")
        if not all(isinstance(value, bytes) for row in rows for value in row):
            raise damaged(self._folder, NO_KEY)
        if _sealed(rows) != sealed:
            raise damaged(self._folder, "a record is missing or fails its checksum")
        return {self._text(key): expected for key, expected in rows}

    def records(self) -> Generator[tuple[str, Packed], None, None]:
        """All records in one pass, each as it agrees with its checksum; none is missing if the pass comes to its end.

        Opening a run is this pass, so it does nothing twice: 100,000 fits are opened in less than a second.
        """
        marks = []
        with self._reading():
            self._connection.execute("BEGIN")
            try:
                _, sealed = self._state()
                for key, json, arrays, expected in self._connection.execute(
                    "SELECT key, json, arrays, checksum FROM records"
                ):
                    if not (type(key) is type(json) is type(arrays) is type(expected) is bytes):
                        raise damaged(self._folder, NO_KEY)
                    name = self._text(key)
                    if checksum(key, json, arrays) != expected:
                        raise failing(self._folder, name)
                    marks.append((key, expected))
                    yield name, Packed(json, arrays)
            finally:
                self._connection.execute("COMMIT")
        if _sealed(marks) != sealed:
            raise damaged(self._folder, "a record is missing or fails its checksum")

    def _text(self, key: bytes) -> str:
        try:
            return key.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            raise damaged(self._folder, "a record has a key that is not text") from None

    def record(self, key: str) -> Packed | None:
        """A record that agrees with its checksum; nothing if there is none."""
        with self._reading():
            query = "SELECT json, arrays, checksum FROM records WHERE key = ?"
            row: tuple[Any, ...] | None = self._connection.execute(query, (key_bytes(key),)).fetchone()
        if row is None:
            return None
        packed = Packed(row[0], row[1])
        if not all(isinstance(value, bytes) for value in row) or packed.checksum(key) != row[2]:
            raise failing(self._folder, key)
        return packed

    def insert(self, key: str, packed: Packed) -> None:
        expected = packed.checksum(key)
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            seal = _sealed([(key_bytes(key), expected)], self._state()[1])
            row = (key_bytes(key), packed.json, packed.arrays, expected)
            self._connection.execute("INSERT INTO records VALUES (?, ?, ?, ?)", row)
            self._connection.execute("UPDATE state SET seal = ?", (seal,))
            self._connection.execute("COMMIT")
        except BaseException as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            if isinstance(error, sqlite3.IntegrityError):
                raise ValueError(f"record {key!r} is stored already") from error
            if isinstance(error, sqlite3.Error):
                raise cannot_write(self._folder, error) from error
            raise

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _reading(self) -> Iterator[None]:
        """A file that SQLite cannot read is damaged, unless the disk is full or another program is at it."""
        try:
            yield
        except sqlite3.Error as error:
            if getattr(error, "sqlite_errorname", "").startswith(NOT_DAMAGE):
                raise cannot_write(self._folder, error) from error
            raise damaged(self._folder, f"a record cannot be read to compare its checksum: {error}") from error


def damaged(folder: Path, how: str) -> CheckpointError:
    return CheckpointError("E_CKPT", f"checkpoint {folder} is damaged: {how}", hint="remove the folder to start over")


def failing(folder: Path, key: str) -> CheckpointError:
    return damaged(folder, f"record {key!r} fails its checksum")


def _sealed(marks: Iterable[tuple[bytes, bytes]], seal: bytes = bytes(CHECKSUM_SIZE)) -> bytes:
    """A seal with further keys and their checksums under it; the order in which they come does not matter."""
    number = int.from_bytes(seal)
    for key, expected in marks:
        number ^= int.from_bytes(checksum(key, expected))
    return number.to_bytes(CHECKSUM_SIZE)
