"""Every fate of a worker: its unit is told what happened, the other units get their results, and nothing is left."""

from __future__ import annotations

import os
import threading
import time
from contextlib import closing

import pytest

from referee.errors import ModelError, UsageError
from referee.fitting import Failure, run
from tests.faults.fates import Fate, meet

pytestmark = pytest.mark.usefixtures("nothing_is_left")

GIGABYTE = 10**9
LONG = 60.0


def outcomes(*fates, **options):
    return dict(run([Fate(*fate) if isinstance(fate, tuple) else Fate(fate) for fate in fates], meet, **options))


def fate_of(name, number=0, **options):
    """What becomes of one unit between two good ones."""
    all_of_them = outcomes(("answers", 1), (name, number), ("answers", 2), **{"timeout": LONG, **options})
    assert all_of_them[Fate("answers", 1)] == 2
    assert all_of_them[Fate("answers", 2)] == 4
    return all_of_them[Fate(name, number)]


@pytest.mark.parametrize("jobs", [1, 2, 4])
def test_results_of_all_units_come_once(jobs):
    units = [Fate("rests", number) for number in (30, 1, 10, 2, 3, 4, 0)]
    found = list(run(units, meet, jobs=jobs))
    assert sorted(found) == sorted((unit, unit.number) for unit in units)


def test_work_never_runs_in_this_process():
    assert os.getpid() not in outcomes("tells_its_process").values()


def test_one_worker_serves_many_units():
    assert len(set(outcomes(*[("tells_its_process", number) for number in range(5)]).values())) == 1


@pytest.mark.parametrize(
    ("name", "number", "kind", "message"),
    [
        ("raises", 3, "raised", "ValueError: boom <b>3</b>"),
        ("raises_without_words", 0, "raised", "MuteError: (its text cannot be made)"),
        ("raises_system_exit", 0, "raised", "SystemExit: bye"),
        ("raises_interrupt", 0, "raised", "KeyboardInterrupt"),
        ("kills_itself", 0, "signal", "signal 9 (SIGKILL)"),
        ("terminates_itself", 0, "signal", "signal 15 (SIGTERM)"),
        ("segfaults", 0, "signal", "signal 11 (SIGSEGV)"),
        ("aborts", 0, "signal", "signal 6 (SIGABRT)"),
        ("exits", 0, "exited", "exited with code 0 without an answer"),
        ("exits", 7, "exited", "exited with code 7 without an answer"),
        ("leaves_a_child_and_dies", 0, "signal", "signal 9 (SIGKILL)"),
        ("closes_everything", 0, "exited", "closed its connection without an answer"),
    ],
)
def test_fates(name, number, kind, message):
    failure = fate_of(name, number)
    assert (failure.kind, failure.message, failure.unit) == (kind, message, Fate(name, number))


@pytest.mark.parametrize("name", ["hangs", "hangs_ignoring_signals", "hangs_with_a_child"])
def test_a_unit_that_hangs(name):
    begin = time.monotonic()
    failure = fate_of(name, timeout=1)
    assert (failure.kind, failure.message) == ("timeout", "no answer within 1 s (timeout)")
    assert time.monotonic() - begin < 10


def test_all_units_hang():
    begin = time.monotonic()
    found = outcomes(*[("hangs", number) for number in range(4)], jobs=2, timeout=0.5)
    assert {failure.kind for failure in found.values()} == {"timeout"}
    assert time.monotonic() - begin < 0.5 * 4 / 2 + 5


def test_a_slow_caller_is_not_a_slow_unit():
    for _, result in run([Fate("rests", 50), Fate("rests", 51), Fate("rests", 52)], meet, timeout=0.5):
        assert not isinstance(result, Failure)
        time.sleep(0.7)


def test_out_of_memory():
    failure = fate_of("eats_memory", max_memory=GIGABYTE // 4)
    assert (failure.kind, failure.message) == ("memory", "MemoryError (memory limit 238 MiB)")
    assert failure.details.startswith("fates.py:")


def test_the_limit_is_what_a_unit_may_take_beyond_the_loaded_work():
    assert fate_of("takes_64_mib", max_memory=1 << 27) == 1 << 26
    assert fate_of("takes_64_mib", max_memory=1 << 25).kind == "memory"


def test_details_are_the_last_lines_without_folders():
    failure = fate_of("raises")
    assert failure.details.splitlines()[-1].endswith('in raises: raise ValueError(f"boom <b>{number}</b>")')
    assert "/" not in failure.details.replace("</b>", "")


def test_a_unit_does_not_stand_for_what_another_left_behind():
    found = outcomes("leaves_a_bomb", ("rests", 600), ("answers", 1))
    assert list(found.values()) == ["answered", 600, 2]


def test_threads_that_stay_do_not_keep_the_worker():
    assert fate_of("leaves_a_thread", 5) == 5


def test_prints_do_not_reach_standard_output(capfd):
    assert fate_of("is_chatty", 5) == 5
    printed = capfd.readouterr()
    assert printed.out == ""
    assert "on standard output" in printed.err
    assert "on descriptor 1" in printed.err


def test_prints_are_cut_off(capfd):
    assert fate_of("prints_much", 9) == 9
    printed = capfd.readouterr().err
    assert printed.count("x") == 1 << 20
    assert "models printed 9.0 MiB: all but the first 1.0 MiB is left out" in printed
    assert outcomes("prints_much", ("answers", 3)) == {Fate("prints_much"): 0, Fate("answers", 3): 6}
    assert "left out" not in capfd.readouterr().err


def test_large_results():
    assert len(fate_of("gives_much", 1 << 24)) == 1 << 24


def test_a_result_that_cannot_be_sent():
    failure = fate_of("gives_what_cannot_be_sent")
    assert failure.kind == "raised"
    assert "cannot pickle" in failure.message


def test_work_that_cannot_be_sent():
    lock = threading.Lock()
    with pytest.raises(UsageError, match="pickle: TypeError: cannot pickle") as caught:
        run([1], lambda _: lock)
    assert caught.value.code == "E_PICKLE"


def test_work_that_cannot_be_loaded(monkeypatch, tmp_path):
    (tmp_path / "gone_by_then.py").write_text("def work(unit): return unit")
    monkeypatch.syspath_prepend(tmp_path)
    from gone_by_then import work

    outcomes_of_work = run([1], work)
    (tmp_path / "gone_by_then.py").unlink()
    with pytest.raises(UsageError, match="No module named 'gone_by_then'"):
        list(outcomes_of_work)


class EndsWhenLoaded:
    def __reduce__(self):
        return os._exit, (3,)

    def __call__(self, unit):
        return unit


def test_workers_that_never_start():
    with pytest.raises(ModelError, match="before their first unit: exited with code 3") as caught:
        list(run([1], EndsWhenLoaded()))
    assert caught.value.code == "E_WORKER"


def test_functions_that_cannot_be_imported_work():
    factor = 3

    class Local:
        def __init__(self, value):
            self.value = value

    ((_, result),) = run([5], lambda unit: Local(unit * factor))
    assert isinstance(result, Local)
    assert result.value == 15


def test_variables_are_set_around_a_unit():
    units = [Fate("tells_environment", number) for number in range(2)]
    told = dict(run(units, meet, environment=lambda unit: {"REFEREE_FOLD": str(unit.number)} if unit.number else {}))
    assert [told[unit]["REFEREE_FOLD"] for unit in units] == [None, "1"]
    again = list(run(reversed(units), meet, environment=lambda _: {"REFEREE_FOLD": "9"}))
    assert [told["REFEREE_FOLD"] for _, told in again] == ["9", "9"]
    assert "REFEREE_FOLD" not in os.environ


def test_one_thread_per_worker(monkeypatch):
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert set(fate_of("counts_threads")) <= {1}
    assert fate_of("tells_environment")["OMP_NUM_THREADS"] == "1"


def test_units_are_taken_when_a_worker_is_free():
    taken = []

    def units():
        for number in range(10):
            taken.append(number)
            yield Fate("answers", number)

    with closing(run(units(), meet, jobs=2)) as found:
        next(found)
        assert len(taken) <= 4


def test_nothing_to_do():
    assert list(run([], meet, jobs=4)) == []
    with pytest.raises(ValueError, match="at least 1"):
        run([], meet, jobs=0)
