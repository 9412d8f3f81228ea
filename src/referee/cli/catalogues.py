"""`referee metrics`, `schemes`, `tests`, `learners`, `sources`: entries, filtered by property, or the card of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

from referee.cli.options import EXPLAIN, FORM, PAGE, shared
from referee.comparing.design import IN_WORDS
from referee.errors import UsageError
from referee.predictions.scored_rows import DIRECTIONS

if TYPE_CHECKING:
    from referee.catalogue import Catalogue, Entry, Shelf
    from referee.comparing import SignificanceTest
    from referee.comparing.test_cards import WorkedTest


EntryType = TypeVar("EntryType", bound="Entry")
Wanted = dict[str, str | bool | None]

PROPERTIES = {
    "threshold": "depends_on_threshold",
    "prevalence": "depends_on_prevalence",
    "task": "tasks",
    "design": "designs",
}
"""What a filter is of, where it has not the name of the property."""


@click.command()
@click.argument("name", required=False)
@click.option(
    "--proper", type=click.Choice(["strictly", "weakly", "no"]), help="Only proper scoring rules, or only others."
)
@click.option(
    "--needs",
    type=click.Choice(["labels", "scores", "probabilities", "values", "quantiles"]),
    help="Only metrics that need this kind of prediction.",
)
@click.option(
    "--task",
    type=click.Choice(["binary", "multiclass", "regression", "scores", "ranking", "multilabel"]),
    help="Only metrics for this task.",
)
@click.option(
    "--better", type=click.Choice(["higher", "lower"]), help="Only metrics whose higher, or lower, values are better."
)
@click.option("--threshold/--no-threshold", default=None, help="Only metrics that depend on a threshold, or do not.")
@click.option(
    "--prevalence/--no-prevalence", default=None, help="Only metrics that depend on how rare classes are, or do not."
)
@click.option("--additive/--not-additive", default=None, help="Only metrics that are an average over rows, or are not.")
@click.option("--show-proper", is_flag=True, help="Draw what a metric rewards: honest probabilities or others.")
@shared(FORM, PAGE)
def metrics_command(
    name: str | None, form: str, html: str | None, show_proper: bool, **wanted: str | bool | None
) -> None:
    """List the metrics, filtered by property, or show the card of one: `referee metrics f_beta`."""
    from referee.scoring import METRIC_CARDS, metrics

    if not show_proper:
        show_entries(name, form, html, wanted, metrics, METRIC_CARDS)
        return
    from referee.cli.output import save_page_of, show
    from referee.scoring import SCORES, Rewards

    if name is None:
        raise UsageError("E_USAGE", "--show-proper draws one metric", hint="referee metrics brier --show-proper")
    refuse_filters(name, "metric", wanted)
    if metrics[name].tasks == SCORES:
        raise UsageError(
            "E_USAGE", f"{name} is for scores without a truth, so there are no reports that it could reward"
        )
    rewards = Rewards(metrics[name])
    save_page_of(rewards, html)
    show(rewards, form)


@click.command()
@click.argument("name", required=False)
@click.option(
    "--combine",
    type=click.Choice(["mean", "pooled", "point_632", "point_632_plus"]),
    help="Only schemes that combine the scores of splits this way.",
)
@click.option(
    "--needs", type=click.Choice(["classes", "groups", "time"]), help="Only schemes that need this about the rows."
)
@click.option(
    "--overlapping/--not-overlapping", default=None, help="Only schemes whose training sets share rows, or do not."
)
@click.option(
    "--stratified/--not-stratified", default=None, help="Only schemes that are stratified by class, or are not."
)
@shared(FORM, PAGE)
def schemes_command(name: str | None, form: str, html: str | None, **wanted: str | bool | None) -> None:
    """List the resampling schemes, or show the card of one: `referee schemes k_fold`."""
    from referee.fitting import SCHEME_CARDS, schemes

    show_entries(name, form, html, wanted, schemes, SCHEME_CARDS)


@click.command()
@click.argument("name", required=False)
@click.option("--design", type=click.Choice(list(IN_WORDS)), help="Only tests that are valid for this design.")
@click.option(
    "--takes",
    type=click.Choice(["units", "rows", "decisions", "many"]),
    help="Only tests that take this kind of input.",
)
@click.option("--a", metavar="X,X,...", help="With --explain: the first model's values, one for each unit.")
@click.option("--b", metavar="X,X,...", help="With --explain: the second model's values, in the same order.")
@click.option("--better", type=click.Choice(DIRECTIONS), help="With --explain: which values are better.")
@click.option(
    "--test-fraction", type=float, metavar="F", help="With --explain: the share of test rows, 0.1 for ten folds."
)
@shared(EXPLAIN, FORM, PAGE)
def tests_command(
    name: str | None, form: str, html: str | None, explain: bool, design: str | None, takes: str | None, **given: Any
) -> None:
    """List the significance tests, or show the card of one: `referee tests paired_t`.

    With --explain a test is walked through with the values of --a and --b, or with those of its own example.
    """
    from referee.comparing import TEST_CARDS, tests

    wanted: Wanted = {"design": design, "takes": takes}
    if not explain and all(value is None for value in given.values()):
        show_entries(name, form, html, wanted, tests, TEST_CARDS)
        return
    from referee.cli.output import save_page_of, show

    if name is None or not explain:
        raise UsageError("E_USAGE", "--explain walks through one test", hint="referee tests paired_t --explain")
    refuse_filters(name, "test", wanted)
    worked = _worked(tests[name], **given)
    save_page_of(worked, html)
    show(worked, form)


def _worked(test: SignificanceTest, a: str | None, b: str | None, **options: Any) -> WorkedTest:
    """A test of the values that were typed, or of its last example."""
    options = {key: value for key, value in options.items() if value is not None}
    if a is None and b is None:
        if not test.examples:
            hint = f"referee compare SOURCE --truth COL --goal METRIC --test {test.name} --explain"
            raise UsageError("E_USAGE", f"{test.name} has no example of its own", hint=hint)
        example = test.examples[-1]
        return test.worked(*example.given, **dict(example.options) | options)
    if a is None or b is None:
        raise UsageError("E_USAGE", "--a and --b must be given together", hint="--a 0.12,0.18,0.14 --b 0.03,0.03,0.02")
    if test.takes not in ("units", "decisions"):
        raise UsageError(
            "E_USAGE", f"{test.name} does not take two lists of values", hint=f"referee tests {test.name} says what"
        )
    return test.worked(_values("--a", a), _values("--b", b), **options)


def _values(option: str, text: str) -> list[float]:
    try:
        return [float(word) for word in text.replace(",", " ").split()]
    except ValueError:
        raise UsageError("E_NUMBER", f"{option} {text!r} is not a list of numbers", hint="0.12,0.18,0.14") from None


@click.command()
@click.argument("name", required=False)
@click.option("--task", type=click.Choice(["binary", "multiclass", "regression"]), help="Only learners for this task.")
@shared(FORM, PAGE)
def learners_command(name: str | None, form: str, html: str | None, **wanted: str | bool | None) -> None:
    """List the learners that `select` fits by name, or show the card of one: `referee learners tree`."""
    from referee.fitting import LEARNER_CARDS, learners

    show_entries(name, form, html, wanted, learners, LEARNER_CARDS)


@click.command()
@click.argument("name", required=False)
@click.option("--kind", type=click.Choice(["file", "database", "address", "object"]), help="Only sources of this kind.")
@click.option(
    "--tells", type=click.Choice(["truth", "scores"]), help="Only sources that say themselves which columns these are."
)
@shared(FORM, PAGE)
def sources_command(name: str | None, form: str, html: str | None, **wanted: str | bool | None) -> None:
    """List the kinds of things that tables are read from, or show the card of one: `referee sources csv`."""
    from referee.predictions import SOURCE_CARDS, sources

    show_entries(name, form, html, wanted, sources, SOURCE_CARDS)


def show_entries(
    name: str | None,
    form: str,
    html: str | None,
    wanted: Wanted,
    catalogue: Catalogue[EntryType],
    shelf: Shelf[EntryType],
) -> None:
    """Show the card of the entry that was named, or list those that have the properties."""
    from referee.catalogue import Listing
    from referee.cli.output import save_page_of, show

    if name is not None:
        refuse_filters(name, shelf.kind, wanted)
    chosen = (entry for entry in catalogue.values() if has_properties(entry, wanted))
    result = Listing(shelf, tuple(chosen)) if name is None else shelf.card(catalogue[name])
    save_page_of(result, html)
    show(result, form)


def refuse_filters(name: str, kind: str, wanted: Wanted) -> None:
    """Stop where one entry is named, and filters of the list of them are given too."""
    given = [key for key, value in wanted.items() if value is not None]
    if given:
        raise UsageError(
            "E_USAGE",
            f"{name!r} names one {kind}, and --{given[0]} filters the list of them",
            hint="give a name or filters, not both",
        )


def has_properties(entry: object, wanted: Wanted) -> bool:
    """Whether an entry has all the properties that were asked for."""
    for key, value in wanted.items():
        known = getattr(entry, PROPERTIES.get(key, key), None) if value is not None else None
        if known != value and not (isinstance(known, tuple) and value in known):
            return False
    return True
