"""`referee serve` by real requests: who may enter, what may be sent, and what is shown."""

from __future__ import annotations

import gc
import threading
import weakref
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path
from urllib.parse import urlencode, urlsplit

import numpy as np
import pytest

import referee
from referee.page import server as serving
from referee.page.uploads import Upload
from tests.case_record import COMMAND_LINE

LIMIT = 1_000_000


@pytest.fixture(scope="module")
def table():
    generator = np.random.default_rng(3)
    truth = generator.random(300) < 0.4
    models = {name: generator.normal(size=300) + strength * truth for name, strength in (("a", 2.0), ("b", 0.5))}
    rows = [f"{'yes' if y else 'no'},{a:.6f},{b:.6f}" for y, a, b in zip(truth, *models.values(), strict=True)]
    return "\n".join(["y,a,b", *rows]) + "\n"


@pytest.fixture(scope="module")
def address():
    import uvicorn

    settings = uvicorn.Config(serving.application("secret", LIMIT), host="127.0.0.1", port=0, log_level="warning")
    socket, server = settings.bind_socket(), uvicorn.Server(settings)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [socket]}, daemon=True)
    socket.listen()
    thread.start()
    yield socket.getsockname()
    server.should_exit = True
    thread.join(10)


@pytest.fixture
def ask(address):
    def ask(method, path, body=None, **headers):
        connection = HTTPConnection(*address, timeout=60)
        given = {"Cookie": "referee=secret"} | {name.replace("_", "-"): text for name, text in headers.items()}
        connection.request(method, path, body, given)
        with closing(connection), connection.getresponse() as answer:
            return answer.status, {name.lower(): text for name, text in answer.getheaders()}, answer.read().decode()

    return ask


@pytest.fixture
def sent(ask, table):
    status, _, answer = ask("POST", "/files?name=preds.csv", table)
    assert status == 201, answer
    return answer.split('"')[3]


class TestWhoMayEnter:
    def test_a_token_becomes_a_cookie(self, ask):
        status, headers, _ = ask("GET", "/?token=secret", Cookie="")
        assert (status, headers["location"]) == (303, "/")
        assert {"HttpOnly", "SameSite=strict"} <= set(headers["set-cookie"].replace(" ", "").split(";"))

    @pytest.mark.parametrize("cookie", ["", "referee=", "referee=secre", "referee=secret2", "referee=ä"])
    def test_a_wrong_token(self, ask, cookie):
        status, _, page = ask("GET", "/", Cookie=cookie.encode())
        assert status == 403
        assert "token" in page
        assert ask("GET", "/?token=wrong", Cookie="")[0] == 403

    @pytest.mark.case("190", COMMAND_LINE)
    def test_another_name_for_this_machine(self, ask):
        status, headers, _ = ask("GET", "/", Host="evil.example")
        assert (status, "access-control-allow-origin" in headers) == (403, False)
        assert [ask("GET", "/", Host=host)[0] for host in ("evil.localhost", "127.0.0.1.evil", "", "[::1]:80:90")] == [
            403
        ] * 4
        assert [ask("GET", "/", Host=host)[0] for host in ("localhost", "127.0.0.1:8000", "[::1]:8000")] == [200] * 3
        assert ask("GET", "/../../etc/passwd")[0] == 404

    def test_a_strangers_page(self, ask, table):
        assert ask("POST", "/files?name=p.csv", table, Origin="http://evil.example")[0] == 403

    def test_headers_that_every_answer_has(self, ask):
        for cookie in ("", "referee=secret"):
            headers = ask("GET", "/", Cookie=cookie)[1]
            assert headers["x-frame-options"] == "DENY"
            assert headers["cache-control"] == "no-store"
            assert "default-src 'none'" in headers["content-security-policy"]


class TestWhatMayBeSent:
    def test_too_large_by_its_own_word(self, ask):
        status, _, answer = ask("POST", "/files?name=big.csv", b"x" * (LIMIT + 1))
        assert status == 413
        assert "limit for one file" in answer

    def test_too_large_without_a_word(self, address, ask):
        connection = HTTPConnection(*address, timeout=60)
        chunks = (b"x" * 100_000 for _ in range(11))
        with closing(connection):
            connection.request("POST", "/files?name=big.csv", chunks, {"Cookie": "referee=secret"}, encode_chunked=True)
            assert connection.getresponse().status == 413
        assert ask("GET", "/")[0] == 200

    @pytest.mark.parametrize(
        ("name", "body"), [("m.pkl", b"\x80\x04\x95\x05\x00\x00\x00\x00\x00\x00\x00K\x01."), ("e.csv", b""),
                           ("h.csv", b"y,a,b\n"), ("p.parquet", b"PAR1 and no more")],
    )  # fmt: skip
    def test_a_wrong_type(self, ask, name, body):
        status, _, answer = ask("POST", f"/files?name={name}", body)
        assert status == 422
        assert name in answer
        assert "Traceback" not in answer

    def test_a_browser_that_is_closed_in_the_middle(self, address, ask):
        before = [*Path(serving.tempfile.gettempdir()).glob("referee-*/*")]
        connection = HTTPConnection(*address, timeout=60)
        connection.putrequest("POST", "/files?name=half.csv")
        connection.putheader("Cookie", "referee=secret")
        connection.putheader("Content-Length", "500000")
        connection.endheaders(b"y,a,b\n" * 1000)
        connection.close()
        assert ask("GET", "/")[0] == 200
        for _ in range(100):
            left = {path for path in Path(serving.tempfile.gettempdir()).glob("referee-*/*") if path not in before}
            if not left:
                break
            threading.Event().wait(0.05)
        assert not left

    def test_a_name_that_leaves_its_folder(self, ask, table):
        status, _, answer = ask("POST", "/files?name=..%2F..%2Fetc%2Fpasswd.csv", table)
        assert status == 201
        page = ask("GET", answer.split('"')[3])[2]
        assert "passwd.csv" in page
        assert "/etc" not in page


class TestWhatIsShown:
    def test_the_form_proposes_and_lists(self, ask, sent):
        status, _, page = ask("GET", sent)
        assert status == 200
        assert "300 rows, 3 columns" in page
        assert "<option selected>y</option>" in page
        assert 'value="roc_auc"' in page

    def test_the_verdict_is_that_of_python(self, ask, sent, table, tmp_path):
        file = tmp_path / "preds.csv"
        file.write_text(table)
        verdict = referee.compare(str(file), truth="y", goal="roc_auc", positive="yes")
        asked = {"question": "compare", "truth": "y", "goal": "roc_auc", "positive": "yes"}
        status, _, page = ask("GET", f"{sent}?{urlencode(asked)}")
        assert status == 200
        assert verdict.outcome == "winner"
        assert "Winner" in page
        assert all(f"{value:.4f}" in page for value in verdict.values.values())
        assert "referee compare preds.csv --truth y --positive yes --goal roc_auc" in page
        assert str(tmp_path) not in page

    def test_evaluate(self, ask, sent):
        asked = {"question": "evaluate", "truth": "y", "positive": "yes"}
        assert ask("GET", f"{sent}?{urlencode(asked)}")[0] == 200

    def test_what_does_not_fit_is_said_above_the_form(self, ask, sent):
        asked = {"question": "compare", "truth": "y", "goal": "roc_auc", "positive": "maybe"}
        status, _, page = ask("GET", f"{sent}?{urlencode(asked)}")
        assert status == 422
        assert "maybe" in page
        assert '<option value="roc_auc" selected>' in page

    def test_hostile_names_are_text(self, ask):
        hostile = "y,<script>alert(1)</script>,b\nyes,0.2,0.3\nno,0.3,0.1\n"
        _, _, answer = ask("POST", "/files?name=%3Cimg%20src%3Dx%3E.csv", hostile)
        page = ask("GET", answer.split('"')[3])[2]
        assert "<script>alert" not in page
        assert "<img" not in page

    def test_a_deleted_file(self, ask, sent):
        assert ask("POST", f"{sent}/forget")[0] == 303
        status, _, page = ask("GET", sent)
        assert status == 404
        assert "no longer here" in page

    def test_two_at_once(self, ask, sent):
        asked = urlencode({"question": "compare", "truth": "y", "goal": "roc_auc", "positive": "yes"})
        pages = {}
        threads = [
            threading.Thread(target=lambda n=n: pages.update({n: ask("GET", f"{sent}?{asked}")})) for n in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert {status for status, _, _ in pages.values()} == {200}
        assert len({page for _, _, page in pages.values()}) == 1


def test_nothing_of_a_request_stays_until_python_happens_to_collect(ask, sent, monkeypatch):
    read, plain = [], Upload.table

    def table(upload):
        read.append(weakref.ref(rows := plain(upload)))
        return rows

    monkeypatch.setattr(Upload, "table", table)
    gc.disable()
    try:
        assert ask("GET", f"{sent}?question=compare&truth=y&positive=yes&goal=roc_auc")[0] == 200
        assert [each() for each in read] == [None]
    finally:
        gc.enable()


def test_the_address_has_the_token(monkeypatch):
    import uvicorn

    opened = []
    monkeypatch.setattr(uvicorn.Server, "run", lambda _, sockets: sockets[0].close())
    serving.serve(0, LIMIT, opened.append)
    parts = urlsplit(opened[0])
    assert parts.hostname == "127.0.0.1"
    assert len(parts.query) > 30
