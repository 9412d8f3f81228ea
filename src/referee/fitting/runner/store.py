"""An embedded store of results that a kill, a power cut or a full disk cannot harm."""

from __future__ import annotations

from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from referee.document import sync_folder, write_whole
from referee.errors import CheckpointError, RefereeError
from referee.fitting.runner.database import (
    FILE,
    PARTS,
    Database,
    FolderLock,
    cannot_write,
    check_identity,
    check_writable,
    damaged,
    refuse_detours,
)
from referee.fitting.runner.records import Packed, Part, checksum, pack
from referee.predictions import ReadOptions, memory_limit, refuse_beyond

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from os import PathLike


class Store:
    """Records by key in a folder, for one writing process at a time.

    The identity says what the run belongs to (data, configuration, splits, version, seed): a folder that holds another
    one's records is refused, and so is one with a byte that changed.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Store(folder, {"data": "9f2c", "seed": "0"}) as store:
    ...     store.save("tree, fold 1", {"accuracy": 0.1 + 0.2})
    ...     store.load("tree, fold 1"), store.keys()
    ({'accuracy': 0.30000000000000004}, ['tree, fold 1'])
    """

    def __init__(self, folder: str | PathLike[str], identity: Mapping[str, str]) -> None:
        """Open the folder to go on with it, or make it; everything in it is compared with its checksum first."""
        self.folder = Path(folder)
        refuse_detours(self.folder)
        check_writable(self.folder)  # now rather than after the first result
        self._lock: FolderLock | None = FolderLock(self.folder)
        try:
            self._database = Database(self.folder, identity)
        except BaseException:
            self._lock.release()
            raise
        try:
            check_identity(self.folder, self.identity, identity)
            self.verify()
            self._make_ready_for_parts()
        except BaseException:
            self.close()
            raise

    @classmethod
    def read(cls, folder: str | PathLike[str]) -> Self:
        """A store to read from only, whatever it belongs to, also while another process writes to it."""
        store = cls.__new__(cls)
        store.folder, store._lock = Path(folder), None
        if not (store.folder / FILE).is_file():
            raise CheckpointError("E_CKPT", f"there is no checkpoint in {folder}")
        refuse_detours(store.folder)
        store._database = Database(store.folder, None)
        return store

    @property
    def identity(self) -> dict[str, str]:
        return dict(self._database.identity)

    def save(self, key: str, record: Mapping[str, Any]) -> None:
        """Keep a record of JSON values and arrays; when this returns it outlasts a power cut."""
        if self._lock is None:
            raise ValueError("this store was opened read-only")
        packed, parts = pack(key, record)
        for part in parts:
            self._write_part(part)
        self._database.insert(key, packed)

    def load(self, key: str) -> dict[str, Any]:
        """A record as it was saved; KeyError if there is none."""
        packed = self._packed(key)
        with self._understanding(key):
            expected = dict(packed.files())
            return packed.record(lambda file: self._part(key, file, expected[file]))

    def keys(self) -> list[str]:
        """Of all records, in order."""
        return sorted(self._database.checksums())

    def verify(self) -> None:
        """Compare every record and every part with its checksum."""
        with closing(self._database.records()) as records:
            for key, packed in records:
                if packed.has_files:
                    self._verify_files(key, packed)

    def _verify_files(self, key: str, packed: Packed) -> None:
        with self._understanding(key):
            for file, expected in packed.files():
                self._part(key, file, expected)

    @contextmanager
    def _understanding(self, key: str) -> Iterator[None]:
        """A record that agrees with its checksum may still be forged: it holds what no run writes."""
        try:
            yield
        except RefereeError:
            raise
        except (ValueError, TypeError, KeyError, ArithmeticError, OSError, RuntimeError, MemoryError) as error:
            raise damaged(self.folder, f"record {key!r} cannot be understood: {error}") from error

    def close(self) -> None:
        self._database.close()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _packed(self, key: str) -> Packed:
        packed = self._database.record(key)
        if packed is not None:
            return packed
        if key in self._database.checksums():
            raise damaged(self.folder, f"record {key!r} cannot be found to compare its checksum")
        raise KeyError(key)

    def _part(self, key: str, file: str, expected: str) -> bytes:
        place = self.folder / PARTS / file
        if place.is_symlink() or (place.exists() and not place.is_file()):
            raise damaged(self.folder, f"part {file} of record {key!r} is not an ordinary file")
        try:
            refuse_beyond(memory_limit(ReadOptions()), place.stat().st_size, str(place), "its bytes")
            content = place.read_bytes()
        except OSError as error:
            raise damaged(self.folder, f"part {file} of record {key!r} cannot be read: {error.strerror}") from error
        if checksum(content).hex() != expected:
            raise damaged(self.folder, f"part {file} of record {key!r} fails its checksum")
        return content

    def _write_part(self, part: Part) -> None:
        try:
            write_whole(self.folder / PARTS / part.file, part.content)
        except OSError as error:
            raise cannot_write(self.folder, error) from error

    def _make_ready_for_parts(self) -> None:
        """Make their folder, and remove what a killed process had begun to write."""
        try:
            (self.folder / PARTS).mkdir(exist_ok=True)
            sync_folder(self.folder)
        except OSError as error:
            raise cannot_write(self.folder, error) from error
        for unfinished in (self.folder / PARTS).glob(".*.tmp"):
            with suppress(OSError):
                unfinished.unlink()
