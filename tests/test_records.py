"""Records are the standard library's frozen dataclasses, only sooner there."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field
from functools import cached_property

import pytest

from referee import records


def defined(dataclass):
    @dataclass(frozen=True)
    class Measured:
        """Has all that ours have."""

        values: tuple[float, ...]
        name: str = "a"
        notes: dict[str, int] = field(default_factory=dict)
        known: dict[str, int] = field(default_factory=dict, init=False, repr=False, compare=False)

        def __post_init__(self):
            object.__setattr__(self, "name", self.name.strip())

        @cached_property
        def total(self):
            return sum(self.values)

    @dataclass(frozen=True)
    class Weighed(Measured):
        weight: float = 1.0

    @dataclass(frozen=True, eq=False, repr=False)
    class Plain:
        value: int = 0

    @dataclass(frozen=True)
    class Named(Measured):
        role: str = field(kw_only=True)
        rank: int = field(default=3, kw_only=True)

    return Measured, Weighed, Plain, Named


THEIRS, OURS = defined(dataclasses.dataclass), defined(records.dataclass)
BOTH = pytest.mark.parametrize("kinds", [THEIRS, OURS], ids=["dataclasses", "records"])
CALLS = [((), {}), (((1.0,),), {}), (((1.0, 2.0), " b "), {}), ((), {"values": (), "notes": {"n": 1}}),
         (((1.0,),), {"nme": "c"}), (((1.0,), "a", {}, 2.0), {}), (((1.0,),), {"values": ()})]  # fmt: skip


def answer(kind, arguments, keywords):
    try:
        made = kind(*arguments, **keywords)
    except TypeError as error:
        return str(error)
    return repr(made), dataclasses.asdict(made), [each.name for each in dataclasses.fields(made)]


@pytest.mark.parametrize(("arguments", "keywords"), CALLS)
@pytest.mark.parametrize("place", [0, 1])
def test_the_same_objects_and_refusals(place, arguments, keywords):
    assert answer(OURS[place], arguments, keywords) == answer(THEIRS[place], arguments, keywords)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_the_same_signature(place):
    fresh = defined(records.dataclass)[place]  # of which no object was made
    assert str(inspect.signature(fresh)) == str(inspect.signature(THEIRS[place]))


@BOTH
def test_equal_if_all_that_is_compared_is(kinds):
    measured, weighed, plain, _ = kinds
    assert measured((1.0,)) == measured((1.0,), "a") != measured((2.0,))
    assert measured((1.0,)) != weighed((1.0,))
    assert plain(1) != plain(1)
    assert len({plain(1), plain(1)}) == 2
    with pytest.raises(TypeError, match="unhashable"):  # of what it holds
        hash(measured((1.0,)))


@BOTH
def test_frozen(kinds):
    made = kinds[0]((1.0,))
    assert made.total == 1.0
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        made.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'name'"):
        del made.name


@BOTH
def test_copies(kinds):
    made = kinds[1]((1.0,), notes={"n": 1})
    assert copy.copy(made) == copy.deepcopy(made) == dataclasses.replace(made) == made
    assert dataclasses.replace(made, weight=2.0).weight == 2.0
    assert made.notes is not kinds[1]((1.0,)).notes


@records.dataclass(frozen=True)
class Kept:
    value: int


def test_kept_on_disk():
    assert pickle.loads(pickle.dumps(Kept(3))) == Kept(3)


def test_only_frozen_ones():
    with pytest.raises(TypeError, match="frozen"):
        records.dataclass(frozen=False)


def test_fields_that_must_be_named():
    for named in (THEIRS[3], OURS[3]):
        assert (named((1.0,), role="b").role, named((1.0,), role="b").rank, named((1.0,), role="b", rank=1).rank) == (
            "b",
            3,
            1,
        )
        for arguments, keywords in ((((1.0,),), {}), (((1.0,), "a", {}, "b"), {})):
            with pytest.raises(TypeError):
                named(*arguments, **keywords)


def test_frozen_dataclasses_may_inherit_from_records():
    @dataclasses.dataclass(frozen=True)
    class Longer(OURS[1]):
        length: int = 0

    assert Longer((1.0,), length=2).length == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        Longer((1.0,)).length = 3
