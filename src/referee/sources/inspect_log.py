"""Logs of inspect_ai (.eval and .json): a score of each sample by each scorer, its epoch, and its metadata."""

from __future__ import annotations

import io
import json
import re
from typing import TYPE_CHECKING, Any, NoReturn

from referee.errors import InputError
from referee.predictions import ReadOptions, Source, Table, Told, log_table, memory_limit, refuse_beyond

if TYPE_CHECKING:
    from collections.abc import Iterator
    from zipfile import ZipFile, ZipInfo

START = re.compile(rb'\s*\{\s*"version":\s*\d+,\s*"status":\s*"[a-z]+",\s*"eval":')
FIRST_MEMBER = re.compile(rb"PK\x03\x04.{26}_journal/start\.json", re.DOTALL)
VALUES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""What inspect_ai's own metrics make of grades: correct, incorrect, partial, no answer."""
ZSTD = 93
"""The compression of recent logs, which Python's zipfile does not know."""


def read_log(source: str, data: bytes, options: ReadOptions, notes: tuple[str, ...] = ()) -> Table:
    r"""Read the bytes of a log: a row for each sample and epoch, with a column for each scorer.

    >>> sample = {"id": 1, "epoch": 1, "scores": {"match": {"value": "C"}}, "metadata": {"passage": "p"}}
    >>> log = {"version": 2, "status": "success", "eval": {"task": "sums", "model": "m"}, "samples": [sample]}
    >>> table = read_log("log.json", json.dumps(log).encode(), ReadOptions())
    >>> table.columns.to_pylist()
    [{'item': 'sums/1', 'epoch': 1, 'model': 'm', 'passage': 'p', 'match': 1.0}]
    """
    is_archive = data.startswith(b"PK")
    header, samples = _archived(source, data, options) if is_archive else _plain(source, data)
    about = header["eval"]
    task, model = str(about.get("task", "task")), options.model or str(about.get("model", "model"))
    items, scores = [], []
    for place, sample in enumerate(samples, start=1):
        items.append({"item": f"{task}/{sample.get('id')}", "epoch": sample.get("epoch", 1), "model": model})
        scores.append(dict(_scores(source, place, sample.get("scores") or {})))
    if not items:
        raise InputError("E_NOROWS", f"{source} has no samples: its status is {header.get('status')!r}")
    further = [sample.get("metadata") or {} for sample in samples]
    roles = {"repeat": "epoch"} if len({item["epoch"] for item in items}) > 1 else {}
    unfinished = () if header.get("status") == "success" else (f"the run's status is {header.get('status')!r}",)
    return log_table(source, items, further, scores, Told(model, roles, benchmark=task), notes + unfinished)


def _scores(source: str, place: int, given: dict[str, Any]) -> Iterator[tuple[str, float | None]]:
    """The values of each scorer; where a scorer gives several, each with its name behind the scorer's."""
    for scorer, score in given.items():
        value = score.get("value") if isinstance(score, dict) else score
        parts = value if isinstance(value, dict) else {"": value}
        for name, part in parts.items():
            column = f"{scorer}/{name}" if name else scorer
            yield column, _number(source, place, column, part)


def _number(source: str, place: int, scorer: str, value: Any) -> float | None:
    if value is None or isinstance(value, bool | int | float):
        return None if value is None or value != value else float(value)  # noqa: PLR0124 (not a number)
    if isinstance(value, str) and (known := VALUES.get(value, VALUES.get(value.lower()))) is not None:
        return known
    try:
        return float(value)
    except (TypeError, ValueError):
        raise InputError(
            "E_NOTNUM", f"{source}: sample {place}: the score {value!r} of {scorer!r} is neither a number nor a grade",
            hint="grades are C, I, P and N; choose another scorer with --score-column",
        ) from None  # fmt: skip


def _plain(source: str, data: bytes) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    try:
        log = json.loads(data)
    except (ValueError, RecursionError) as error:
        _refuse(source, error)
    return log, log.get("samples") or []


def _archived(source: str, data: bytes, options: ReadOptions) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The header and the samples of an archive; a run that was interrupted has only its start, and samples."""
    from zipfile import BadZipFile, ZipFile

    try:
        with ZipFile(io.BytesIO(data)) as archive:
            members = {member.filename: member for member in archive.infolist()}
            size = sum(
                member.file_size for name, member in members.items() if name in ("header.json", "summaries.json")
            )
            refuse_beyond(memory_limit(options), 4 * size, source, "its samples")
            header = members.get("header.json") or members["_journal/start.json"]
            if "summaries.json" in members:
                samples = _content(archive, members["summaries.json"], data)
            else:
                names = [name for name in members if name.startswith("samples/")]
                samples = [_content(archive, members[name], data) for name in names]
            return _content(archive, header, data), samples
    except (BadZipFile, OSError, EOFError, ValueError, KeyError, NotImplementedError, RuntimeError) as error:
        _refuse(source, error)


def _content(archive: ZipFile, member: ZipInfo, data: bytes) -> Any:
    if member.compress_type != ZSTD:
        return json.loads(archive.read(member))
    import pyarrow as pa

    # The lengths of the name and of what follows it stand before both, at the end of a local header of 30 bytes.
    begin = member.header_offset + 30
    begin += sum(int.from_bytes(data[begin - 4 + at : begin - 2 + at], "little") for at in (0, 2))
    packed = pa.py_buffer(data[begin : begin + member.compress_size])
    with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
        return json.loads(stream.read(member.file_size))


def _refuse(source: str, error: Exception) -> NoReturn:
    raise InputError(
        "E_LOG", f"{source} is a log of inspect_ai that is cut off or damaged: {error}",
        hint="`inspect log convert` or `inspect eval-retry` may repair it; none of it was used",
    ) from error  # fmt: skip


source = Source(
    "inspect_ai log",
    what="Logs of inspect_ai, one for each model: the scores of samples, averaged over epochs.",
    shown="logs/*.eval",
    looks_like=lambda head: bool(START.match(head) or FIRST_MEMBER.match(head)),
    suffixes=(".eval",),
    content=read_log,
    tells="scores",
)
