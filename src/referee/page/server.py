"""`referee serve`: a page on this machine that takes a file, asks what its columns are, and shows the verdict."""

from __future__ import annotations

import ctypes
import gc
import re
import sys
import tempfile
from contextlib import asynccontextmanager
from hmac import compare_digest
from http import HTTPStatus
from pathlib import Path
from secrets import token_urlsafe
from typing import TYPE_CHECKING, Any

from referee.errors import InputError, RefereeError, WriteError
from referee.page.server_pages import Asked, form_page, message_page, policy, start_page
from referee.page.uploads import TooLargeError, Uploads

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.applications import Starlette
    from starlette.requests import Request
    from starlette.responses import Response

HOSTS = ("127.0.0.1", "localhost", "[::1]")
"""Any other name for this machine is that of a stranger's page that points here."""
COOKIE = "referee"
HEADERS = {
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
STATUS = {TooLargeError: HTTPStatus.REQUEST_ENTITY_TOO_LARGE, WriteError: HTTPStatus.INSUFFICIENT_STORAGE}
AT_ONCE = 2
"""Files that are read or compared at the same time; others wait."""


class Server:
    """The answers to a browser that has the token."""

    def __init__(self, uploads: Uploads, token: str) -> None:
        from anyio import CapacityLimiter

        self.uploads = uploads
        self.token = token
        self.limiter = CapacityLimiter(AT_ONCE)

    def knows(self, token: str | None) -> bool:
        return token is not None and compare_digest(token.encode(), self.token.encode())

    async def enter(self, request: Request) -> Response:
        """The first page; a token in the address becomes a cookie, so that it does not stay in the history."""
        from starlette.responses import RedirectResponse

        if "token" not in request.query_params:
            return html(start_page(self.uploads.limit))
        answer = RedirectResponse("/", HTTPStatus.SEE_OTHER)
        answer.set_cookie(COOKIE, self.token, httponly=True, samesite="strict")
        return answer

    async def receive(self, request: Request) -> Response:
        from starlette.responses import JSONResponse

        name = request.query_params.get("name", "")
        length = request.headers.get("content-length", "")
        if length.isdigit() and int(length) > self.uploads.limit:
            raise self.uploads.too_large(name)
        upload = await self.uploads.receive(name, request.stream())
        try:
            await self._in_thread(upload.table)
        except BaseException:
            self.uploads.forget(upload.key)
            raise
        return JSONResponse({"address": f"/files/{upload.key}"}, HTTPStatus.CREATED)

    async def ask(self, request: Request) -> Response:
        """The form of a file; once it is filled in, the page of the result."""
        upload = self.uploads[request.path_params["key"]]
        asked = Asked.of(request.query_params)
        if not asked.is_complete:
            return html(await self._in_thread(form_page, upload, asked))
        try:
            return html(await self._in_thread(asked.page, upload), own_policy=False)
        except RefereeError as error:
            page = await self._in_thread(form_page, upload, asked, error)
            return html(page, HTTPStatus.UNPROCESSABLE_ENTITY)

    async def forget(self, request: Request) -> Response:
        from starlette.responses import RedirectResponse

        self.uploads.forget(request.path_params["key"])
        return RedirectResponse("/", HTTPStatus.SEE_OTHER)

    async def _in_thread(self, function: Any, *arguments: Any) -> Any:
        from anyio import to_thread

        return await to_thread.run_sync(_released, function, *arguments, limiter=self.limiter)


def _released(function: Any, *arguments: Any) -> Any:
    """What a function returns, without the memory that it took.

    Results hold their arrays in cycles, which Python alone collects only now and then, and the C library keeps what
    was freed: together hundreds of megabytes.
    """
    try:
        return function(*arguments)
    finally:
        gc.collect()
        if sys.platform == "linux" and (trim := getattr(ctypes.CDLL(None), "malloc_trim", None)):
            trim(0)


def html(text: str, status: int = HTTPStatus.OK, *, own_policy: bool = True) -> Response:
    """A page; that of a result has its policy inside."""
    from starlette.responses import HTMLResponse

    return HTMLResponse(text, status, {"Content-Security-Policy": policy()} if own_policy else None)


def application(token: str, limit: int) -> Starlette:
    """The web application, whose files are deleted when it ends."""
    from starlette.applications import Starlette
    from starlette.middleware import Middleware
    from starlette.routing import Route

    server = Server(Uploads(limit), token)

    @asynccontextmanager
    async def life(_application: Starlette) -> AsyncIterator[None]:
        with tempfile.TemporaryDirectory(prefix="referee-") as folder:
            server.uploads.folder = Path(folder)
            yield

    routes = [
        Route("/", server.enter),
        Route("/files", server.receive, methods=["POST"]),
        Route("/files/{key}", server.ask),
        Route("/files/{key}/forget", server.forget, methods=["POST"]),
    ]
    guards = [Middleware(Guard, server)]
    return Starlette(routes=routes, middleware=guards, lifespan=life, exception_handlers={RefereeError: refused})


class Guard:
    """Lets in who has the token, and nobody that another page or name sends; every answer has the same headers."""

    def __init__(self, app: Any, server: Server) -> None:  # Starlette's name
        self.application = app
        self.server = server

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        from starlette.datastructures import MutableHeaders
        from starlette.requests import Request

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        if scope["type"] != "http" or self._may_enter(Request(scope)):
            await self.application(scope, receive, send_with_headers)
            return
        what = "This page needs the whole address that `referee serve` printed, with its token."
        await html(message_page("No entry", what), HTTPStatus.FORBIDDEN)(scope, receive, send_with_headers)

    def _may_enter(self, request: Request) -> bool:
        host, origin = request.headers.get("host", ""), request.headers.get("origin")
        if re.sub(r":\d*$", "", host) not in HOSTS or origin not in (None, f"http://{host}"):
            return False
        given = request.query_params.get("token") if request.url.path == "/" else None
        return self.server.knows(given or request.cookies.get(COOKIE))


async def refused(request: Request, error: Exception) -> Response:
    """An error in our words: as text for the script that sends files, else as a page."""
    from starlette.responses import JSONResponse

    assert isinstance(error, RefereeError)
    status = STATUS.get(type(error), HTTPStatus.UNPROCESSABLE_ENTITY)
    if request.method == "POST":
        return JSONResponse({"error": str(error), "hint": error.hint}, status)
    missing = isinstance(error, InputError) and error.code == "E_NOFILE"
    return html(message_page(str(error), error.hint or ""), HTTPStatus.NOT_FOUND if missing else status)


def serve(port: int, limit: int, opened: Any) -> None:
    """Serve on loopback until the process is stopped; `opened` is called with the address."""
    import uvicorn

    token = token_urlsafe(24)
    settings = uvicorn.Config(
        application(token, limit), host="127.0.0.1", port=port, log_level="warning", server_header=False,
        timeout_graceful_shutdown=3,
    )  # fmt: skip
    listening = settings.bind_socket()
    listening.listen()
    opened(f"http://127.0.0.1:{listening.getsockname()[1]}/?token={token}")
    uvicorn.Server(settings).run(sockets=[listening])
