"""Random tables through every command: no bug, no traceback, no foreign warning, and always JSON where it is asked for.

`make fuzz` goes on for an hour with other seeds; what it finds is kept in FOUND.
"""

from __future__ import annotations

import signal

import pytest

from tests.fuzz.calls import drawn, limited, run
from tests.fuzz.stories import story

SEEDS, STORIES = range(600), range(150)
FOUND = (
    192, 314, 317, 401, 1483, 2426, 2848, 5206, 5579, 6392, 6887, 9268, 7000185, 7003616, 7004593, 23000676, 23001009,
    23001721, 23003396, 23003601, 23004144, 23004267, 61007498, 61008828, 61009336, 61011546, 61012572, 81003218,
    81005853, 81006353, 91003337, 1795036111, 53000511, 60000413, 70001613,
)  # fmt: skip
"""Seeds that once ended in a bug, or in a warning of NumPy."""
FOUND_IN_STORIES = (
    32, 40, 51000138, 51000145, 51000191, 51000378, 51000394, 51000669, 51001785, 51002004, 51002850, 52001065,
    52001136, 52001530, 52001613, 52001693, 53000741, 53000743, 60001439, 70000008, 70000109,
)  # fmt: skip


@pytest.mark.parametrize("seeds", [SEEDS[start : start + 20] for start in range(0, len(SEEDS), 20)], ids=str)
def test_every_command_ends_well(seeds, tmp_path, capfd):
    for seed in seeds:
        ended = run(drawn(seed, tmp_path), capfd)
        assert ended.problem is None, f"seed {seed}: {ended.problem}\n{ended}"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", FOUND)
def test_what_was_found(seed, tmp_path, capfd):
    ended = run(drawn(seed, tmp_path), capfd)
    assert ended.problem is None, f"{ended.problem}\n{ended}"


@pytest.mark.parametrize("seeds", [STORIES[start : start + 10] for start in range(0, len(STORIES), 10)], ids=str)
def test_commands_that_build_on_each_other_end_well(seeds, tmp_path, capfd):
    for seed in seeds:
        for arguments in story(seed, tmp_path):
            ended = run(arguments, capfd)
            assert ended.problem is None, f"seed {seed}: {ended.problem}\n{ended}"


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("seed", FOUND_IN_STORIES)
def test_what_was_found_in_commands_that_build_on_each_other(seed, tmp_path, capfd):
    for arguments in story(seed, tmp_path):
        ended = run(arguments, capfd)
        assert ended.problem is None, f"{ended.problem}\n{ended}"


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no clock of the processor here")
def test_what_takes_too_long_is_stopped():
    with pytest.raises(RuntimeError, match="seconds of the processor"), limited(0.05) as late:
        while True:
            pass
    assert late
