"""A relay before a server on loopback, which counts the bytes that come from it."""

from __future__ import annotations

import socket
from contextlib import suppress
from threading import Thread
from typing import Self

CHUNK = 1 << 16


class Relay:
    def __init__(self, port: int) -> None:
        self.server = port
        self.received = 0
        self._door = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._door.getsockname()[1]

    def __enter__(self) -> Self:
        Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._door.close()

    def _accept(self) -> None:
        with suppress(OSError):  # the door was closed
            while True:
                client, _ = self._door.accept()
                server = socket.create_connection(("127.0.0.1", self.server))
                Thread(target=self._pass_on, args=(client, server, False), daemon=True).start()
                Thread(target=self._pass_on, args=(server, client, True), daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, counts: bool) -> None:
        with suppress(OSError):
            while data := source.recv(CHUNK):
                self.received += len(data) if counts else 0
                target.sendall(data)
            target.shutdown(socket.SHUT_WR)
