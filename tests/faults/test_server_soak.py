"""`referee serve` as a process of its own, at length: what it holds in memory and on the disk does not grow."""

from __future__ import annotations

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np
import pytest

import referee

pytestmark = pytest.mark.soak
FILES = 120
AT_A_TIME = 10
MOST_GROWTH = 20
"""Megabytes in the course of all files: without what is released after each job it was 250 to 300."""
TWO_GB = 2_000_000_000
PIECE = b"yes,0.125,0.875\n" * 65_536


class Running:
    """A server, and what it takes."""

    def __init__(self, folder, *options):
        words = [sys.executable, "-m", "referee", "serve", *options]
        source = str(Path(referee.__file__).parents[1])
        environment = {"TMPDIR": str(folder), "HOME": str(folder), "PATH": "", "PYTHONPATH": source}
        self.folder = folder
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=environment)
        for line in self.process.stdout:
            if address := re.search(r"http://\S+", line.decode()):
                break
        self.place = urlsplit(address[0])

    def ask(self, method, path, body=None, **headers):
        connection = HTTPConnection(self.place.hostname, self.place.port, timeout=300)
        cookie = {"Cookie": f"referee={self.place.query.removeprefix('token=')}"}
        with closing(connection):
            connection.request(method, path, body, cookie | headers, encode_chunked="Transfer-Encoding" in headers)
            answer = connection.getresponse()
            return answer.status, answer.read().decode()

    def megabytes(self, what="VmRSS"):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(rf"{what}:\s+(\d+)", status)[1]) / 1000

    def files(self):
        return [path for path in self.folder.glob("referee-*/*/*") if path.is_file()]


@pytest.fixture
def served(tmp_path):
    running = []

    def start(*options):
        running.append(Running(tmp_path, *options))
        return running[0]

    yield start
    running[0].process.terminate()
    running[0].process.communicate(timeout=30)
    assert not list(tmp_path.glob("referee-*"))


def table(rows=5_000):
    draw = np.random.default_rng(1)
    truth = draw.random(rows) < 0.4
    scores = [1 / (1 + np.exp(-(truth * strength + draw.normal(size=rows)))) for strength in (2, 1)]
    lines = [f"{'yes' if y else 'no'},{a:.6f},{b:.6f}" for y, a, b in zip(truth, *scores, strict=True)]
    return "\n".join(["y,a,b", *lines]).encode()


def shown(server, content):
    """A file, its verdict, and away with it."""
    status, answer = server.ask("POST", "/files?name=preds.csv", content)
    assert status == 201, answer
    key = answer.split('"')[3]
    status, page = server.ask("GET", f"{key}?question=compare&truth=y&positive=yes&goal=roc_auc")
    assert (status, "a is the better of 2 models on roc_auc" in page) == (200, True), page[:500]
    return key


def soaked(server, files=FILES):
    """The memory held after every ten files, which two users send, look at and forget."""
    content, held = table(), []
    for _ in range(files // AT_A_TIME):
        with ThreadPoolExecutor(2) as users:
            keys = list(users.map(lambda _: shown(server, content), range(AT_A_TIME)))
        for key in keys:
            assert server.ask("POST", f"{key}/forget")[0] == 303
        held.append(server.megabytes())
        assert server.files() == []
    return held


def test_many_files_by_two_users_leave_neither_memory_nor_files(served):
    held = soaked(served())
    assert max(held) - held[0] < MOST_GROWTH, held


def test_two_gigabytes_are_refused_by_their_own_word(served):
    server = served()
    status, answer = server.ask("POST", "/files?name=big.csv", b"y,a,b\n", **{"Content-Length": str(TWO_GB)})
    assert (status, "limit for one file" in answer) == (413, True), answer
    assert server.files() == []


def test_two_gigabytes_without_a_word_are_cut_off_at_the_limit_and_not_held(served):
    server, sent = served(), []
    assert server.ask("GET", "/")[0] == 200
    before = server.megabytes("VmHWM")
    pieces = (PIECE for _ in range(TWO_GB // len(PIECE) + 1) if sent.append(len(PIECE)) is None)
    try:
        status, answer = server.ask("POST", "/files?name=big.csv", pieces, **{"Transfer-Encoding": "chunked"})
        assert (status, "limit for one file" in answer) == (413, True), answer
    except (BrokenPipeError, ConnectionResetError):
        assert 1_000_000_000 <= sum(sent) < TWO_GB, "the server answers and hangs up while this client still sends"
    assert server.ask("GET", "/")[0] == 200
    assert server.megabytes("VmHWM") - before < 100
    assert server.files() == []
