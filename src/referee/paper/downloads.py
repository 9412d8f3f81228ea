"""Downloads of the paper's data sets from the UCI repository and OpenML, checked before they are kept."""

from __future__ import annotations

import http.client
import io
import json
import sys
from time import monotonic
from typing import TYPE_CHECKING, Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from referee.errors import InputError, RefereeError, WriteError
from referee.paper.data_files import MOST_BYTES, by_hand, refuse_beyond, table_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from referee.paper.datasets import PaperDataSet
    from referee.predictions import Table

UCI = "https://archive.ics.uci.edu"
OPENML = "https://www.openml.org"
SILENCE = 30.0
"""Seconds without a byte after which a server is given up."""
PATIENCE = 300.0
"""Seconds for one file in all."""
CHUNK = 1 << 16


def fetch(
    spec: PaperDataSet, folder: Path, *, uci: str | None = None, openml: str | None = None, quiet: bool = True
) -> Table:
    """Download a data set, from the first place that has it as it must be, and keep it as Parquet in the folder.

    The file appears under its name only when its rows, columns and class counts are right, so a download that was
    stopped leaves nothing that could be taken for the data.
    """
    failed: list[str] = []
    for server, ways in ((uci or UCI, (_from_archive, _from_files)), (openml or OPENML, (_from_openml,))):
        if not quiet:
            sys.stderr.write(f"downloading {spec.name} from {urlsplit(server).hostname}\n")
        for way in ways:
            try:
                table = way(spec, server)
            except UnreachableError as error:
                failed.append(error.message)
                break
            except RefereeError as error:
                failed.append(error.message)
            else:
                _keep(table, folder / f"{spec.name}.parquet")
                return table
    reasons = "; ".join(dict.fromkeys(failed))
    raise InputError("E_DOWNLOAD", f"{spec.name} cannot be downloaded: {reasons}", hint=by_hand(spec, folder))


def _from_archive(spec: PaperDataSet, server: str) -> Table:
    address = f"{server}/static/public/{spec.origin.number}/{spec.origin.archive}"
    return table_of(spec, [download(address)], address)


def _from_files(spec: PaperDataSet, server: str) -> Table:
    """The single files; some are there only as .Z."""
    try:
        return _of_files(spec, server, "")
    except NotThereError:
        return _of_files(spec, server, ".Z")


def _of_files(spec: PaperDataSet, server: str, ending: str) -> Table:
    folder = f"{server}/ml/machine-learning-databases/{spec.origin.folder}"
    addresses = [f"{folder}/{file}{ending}" for file in spec.origin.files]
    return table_of(spec, [download(address) for address in addresses], addresses[0])


def _from_openml(spec: PaperDataSet, server: str) -> Table:
    """The file that OpenML's description of the data set names."""
    address = f"{server}/api/v1/json/data/{spec.origin.openml}"
    try:
        about = json.loads(download(address))["data_set_description"]
        number, expected = int(about["file_id"]), str(about.get("md5_checksum", ""))
    except (ValueError, KeyError, TypeError) as error:
        raise InputError("E_FORMAT", f"{address} is not OpenML's description of a data set") from error
    file = f"{server}/data/v1/download/{number}/{spec.name}.arff"
    content = download(file)
    _refuse_other_checksum(content, expected, file)
    return table_of(spec, [content], file)


def _refuse_other_checksum(content: bytes, expected: str, source: str) -> None:
    from hashlib import md5

    if expected and md5(content, usedforsecurity=False).hexdigest() != expected:
        raise InputError("E_CHECKSUM", f"{source} fails its checksum: it was changed or damaged on its way")


class NotThereError(InputError):
    """The server has no such file."""


class UnreachableError(InputError):
    """The server does not answer at all."""


class OnlyToHttps(HTTPRedirectHandler):
    """Follows a redirection only where the connection stays private."""

    def redirect_request(self, req: Request, fp: Any, code: int, msg: str, headers: Any, newurl: str) -> Request | None:
        if urlsplit(newurl).scheme != "https":
            fp.close()
            raise InputError("E_REDIRECT", f"{req.full_url} leads to {newurl}, which is not https: refused")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def download(address: str, *, limit: int = MOST_BYTES, silence: float = SILENCE, patience: float = PATIENCE) -> bytes:
    """The content of an address; whatever goes wrong is an error in words."""
    request = Request(address, headers={"User-Agent": "referee (model comparison)"})
    try:
        with build_opener(OnlyToHttps).open(request, timeout=silence) as response:
            return _received(response, address, limit, monotonic() + patience)
    except HTTPError as error:
        kind = NotThereError if error.code in (404, 410) else InputError
        with error:
            raise kind("E_DOWNLOAD", f"{address}: the server answers {error.code} ({error.reason})") from error
    except URLError as error:
        raise UnreachableError(
            "E_DOWNLOAD", f"{urlsplit(address).hostname} cannot be reached: {_why(error)}"
        ) from error
    except (OSError, http.client.HTTPException) as error:
        raise InputError("E_DOWNLOAD", f"{address}: the connection broke ({error or type(error).__name__})") from error


def _received(response: Any, address: str, limit: int, deadline: float) -> bytes:
    content = io.BytesIO()
    read: Callable[[int], bytes] = response.read1
    while block := read(CHUNK):
        content.write(block)
        refuse_beyond(limit, content.tell(), address)
        if monotonic() > deadline:
            raise InputError("E_DOWNLOAD", f"{address} is too slow: given up")
    announced = response.headers.get("Content-Length")
    if announced is not None and announced.isdigit() and content.tell() != int(announced):
        raise InputError("E_DOWNLOAD", f"{address} was cut short: {content.tell():,} of {int(announced):,} bytes came")
    return content.getvalue()


def _why(error: URLError) -> str:
    reason = error.reason
    return str(getattr(reason, "strerror", None) or reason)


def _keep(table: Table, file: Path) -> None:
    import pyarrow.parquet as pq

    from referee.document import write_whole

    content = io.BytesIO()
    pq.write_table(table.columns, content, compression="zstd")
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file, content.getvalue())
    except OSError as error:
        hint = "REFEREE_DATA names another folder"
        raise WriteError("E_WRITE", f"{file} cannot be written: {error.strerror or error}", hint=hint) from error
