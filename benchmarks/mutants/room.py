"""The session of a room's fast tests: collected once, then run in forks, plain, traced, and with each mutant."""

from __future__ import annotations

import json
import os
import time
from contextlib import suppress
from functools import cached_property
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import pytest

from benchmarks.mutants.changed_code import caches_in, functions_by_file, put_in
from benchmarks.mutants.forks import Ended, in_fork
from benchmarks.mutants.operators import Mutant, mutants_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

ROOT = Path(__file__).parents[2]
KEPT = ROOT / "build" / "mutants"
ENOUGH = 200.0
"""Seconds of CPU for the whole list."""
MOST_PER_MUTANT = 20.0
"""Seconds of CPU that its tests may take while their lines are written down: the quickest are run."""
QUIET = (
    "-o", "addopts=", "-q", "--doctest-modules", "-m", "not soak", "-p", "no:cacheprovider", "-p", "no:xdist",
    "--hypothesis-profile=quick", "--assert=plain",
)  # fmt: skip
"""Assertions stay as they are written: pytest would rewrite those of referee too, as it has a plugin of pytest, and no
mistake can be put into a function whose code is not the file's."""


class Room:
    """A plugin: instead of running the tests it hands the collected session to `work`."""

    def __init__(self, name: str, work: Callable[[Room], None], only: Sequence[str] | None = None) -> None:
        self.name = name
        self.only = only
        self.source = ROOT / "src" / "referee" / name
        self.work = work
        self.items: dict[str, pytest.Item] = {}

    def open(self) -> None:
        listed = (ROOT / "tests" / "rooms" / f"{self.name}.txt").read_text(encoding="utf-8").split("\n")
        code = pytest.main([*QUIET, *filter(None, self.only or listed)], plugins=[self])
        if code != 0:
            raise SystemExit(f"{self.name} was not tried to the end: pytest @tests/rooms/{self.name}.txt")

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        self.items = {item.nodeid: item for item in session.items}
        self._load_all()
        self.functions, self.caches = functions_by_file(), caches_in(self.source)
        self.work(self)
        return True

    def _load_all(self) -> None:
        """All modules, so that their functions are there to be changed; some need what is not installed."""
        for path in self.source.rglob("*.py"):
            with suppress(ImportError):
                import_module(".".join(path.relative_to(ROOT / "src").with_suffix("").parts).removesuffix(".__init__"))

    @cached_property
    def seconds(self) -> float:
        """Of CPU, for the whole list, with nothing else loaded than Room.open has."""
        return self._passed(lambda failed: self._run(list(self.items), failed)).seconds

    def _passed(self, work: Callable[[Path], int]) -> Ended:
        """Without a mistake in the code all tests must pass: one that fails would notice anything."""
        with TemporaryDirectory() as folder:
            failed = Path(folder, "failed")
            ended = in_fork(lambda: work(failed), ENOUGH)
            if ended.code != 0:
                test = failed.read_text(encoding="utf-8") if failed.exists() else f"the list, with {ended}"
                pytest.exit(f"without a mistake in the code fails {test}: pytest @tests/rooms/{self.name}.txt", 1)
            return ended

    @cached_property
    def each(self) -> dict[str, float]:
        """The seconds of each test."""
        return self._facts["each"]

    @cached_property
    def lines(self) -> dict[str, dict[str, list[str]]]:
        """The tests that run each line of each file of the room."""
        return self._facts["lines"]

    @cached_property
    def _facts(self) -> dict[str, Any]:
        """What was found out about the tests, kept until the room changes; tests that are new are traced now."""
        kept = KEPT / f"{self.name}.json"
        facts = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        if facts.get("source") != self._digest:
            facts = {"source": self._digest, "each": {}, "lines": {}}
        new = [test for test in self.items if test not in facts["each"]]
        if new:
            kept.parent.mkdir(parents=True, exist_ok=True)
            self._passed(lambda failed: self._traced(new, facts, kept, failed))
        return json.loads(kept.read_text(encoding="utf-8"))

    @property
    def _digest(self) -> str:
        return sha256(b"".join(path.read_bytes() for path in sorted(self.source.rglob("*.py")))).hexdigest()

    def _traced(self, tests: list[str], facts: dict[str, Any], out: Path, failed: Path) -> int:
        import coverage

        trace = coverage.Coverage(data_file=None, include=[f"{self.source}/*"])
        trace.start()
        for test in tests:
            self._forget()
            trace.switch_context(test)
            begun = time.process_time()
            if self._run([test], failed):
                return 1
            facts["each"][test] = time.process_time() - begun
        trace.stop()
        data = trace.get_data()
        for file in data.measured_files():
            lines = facts["lines"].setdefault(str(Path(file).relative_to(ROOT)), {})
            for line, contexts in data.contexts_by_lineno(file).items():
                lines[str(line)] = [*lines.get(str(line), []), *contexts]
        out.write_text(json.dumps(facts), encoding="utf-8")
        return 0

    def _forget(self) -> None:
        """Answers that were kept would hide the lines that made them, and the mistakes in these."""
        for cache in self.caches:
            cache.cache_clear()

    def drawn(self, number: int, seed: int) -> list[Mutant]:
        return sorted(self.mutants(), key=lambda mutant: mutant.draw(seed))[:number]

    def mutants(self) -> list[Mutant]:
        """Those on lines that the tests run."""
        return [
            mutant
            for path in sorted(self.source.rglob("*.py"))
            for mutant in mutants_of(path, str(path.relative_to(ROOT)))
            if self.tests_of(mutant)
        ]

    def tests_of(self, mutant: Mutant) -> Sequence[str]:
        """The tests that run its line, the quickest first, as far as they take a bearable time."""
        tests = self.lines.get(mutant.path, {}).get(str(mutant.line), [])
        chosen, total = [], 0.0
        for test in sorted(filter(self.items.__contains__, tests), key=self.each.__getitem__):
            total += self.each[test]
            if chosen and total > MOST_PER_MUTANT:
                break
            chosen.append(test)
        return chosen

    def trial(self, mutant: Mutant) -> tuple[Ended, str | None]:
        """What becomes of the tests with the mistake in the code, and the test that noticed it."""
        tests = self.tests_of(mutant)
        with TemporaryDirectory() as folder:
            by = Path(folder, "failed")

            def work() -> int:
                put_in(mutant, ROOT, self.functions)
                self._forget()
                return self._run(tests, by)

            ended = in_fork(work, 20 + 3 * sum(self.each[test] for test in tests))
            return ended, by.read_text(encoding="utf-8") if by.exists() else None

    def _run(self, tests: Sequence[str], by: Path | None = None) -> int:
        """Run tests as pytest does; the first that fails ends it, with its name in a file."""
        failed = []

        class Watch:
            def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
                if report.failed:
                    failed.append(report.nodeid)

        watch, items = Watch(), [self.items[test] for test in tests]
        manager = items[0].config.pluginmanager
        manager.register(watch)
        try:
            for item, following in zip(items, [*items[1:], None], strict=True):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if failed:
                    break
        finally:
            manager.unregister(watch)
        if failed and by is not None:
            by.write_text(failed[0], encoding="utf-8")
            os._exit(1)
        return int(bool(failed))
