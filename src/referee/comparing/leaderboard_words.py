"""The leaderboard in words: its tiers, the ranks, and what they promise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from referee.comparing.all_pairs import FEW_MODELS
from referee.document import count, counted, level

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from referee.comparing.leaderboard import Leaderboard
    from referee.comparing.verdict import Verdict

TIERS = "Tiers and ranks"
MOST_TIERS, FEW_NAMES = 3, 2
"""So many are named where somebody reads."""
MOGSTAD = (
    "M. Mogstad, J. P. Romano, A. M. Shaikh and D. Wilhelm (2024). Inference for ranks with applications to mobility "
    "across neighbourhoods and academic achievement across countries. Review of Economic Studies 91, 476-518"
)
ROMANO_WOLF = (
    "J. P. Romano and M. Wolf (2005). Exact and approximate stepdown methods for multiple hypothesis testing. Journal "
    "of the American Statistical Association 100, 94-108"
)


def tiers_in_a_line(verdict: Verdict) -> list[str]:
    """Who is told apart, best first; nothing where nobody is, or so few models that their pairs say it."""
    board = verdict.leaderboard
    if board is None or len(verdict.values) < 4 or len(board.tiers) == 1:
        return []
    shown = [named_in_tier(names) for names in board.tiers[:MOST_TIERS]]
    left = len(board.tiers) - MOST_TIERS
    shown += [counted(left, "more tier")] if left > 0 else []
    return [f"tiers: {' > '.join(shown)}"]


def named_in_tier(names: Sequence[str]) -> str:
    """The models of a tier, or the first and how many more.

    >>> named_in_tier(["a", "b"]), named_in_tier([*"abcde"])
    ('a, b', 'a and 4 more')
    """
    return ", ".join(names) if len(names) <= FEW_NAMES else f"{names[0]} and {len(names) - 1:,} more"


def ranks_in_words(board: Leaderboard, names: Sequence[str]) -> str:
    """The ranks that these models may have."""
    best = min(board.ranks[name][0] for name in names)
    worst = max(board.ranks[name][1] for name in names)
    return str(best) if best == worst else f"{best} to {worst}"


def said_of_tiers(verdict: Verdict) -> str:
    """What may be read from the tiers, and what may not."""
    board = verdict.leaderboard
    if board is None or board.rule == "posterior":
        return "each pair by its posterior probability alone; within a tier nobody beats anybody"
    return (
        f"ranks hold for all models at once ({level(verdict.alpha)}): no pair within a tier differs, and not every "
        "pair of two tiers does"
    )


def tiers_in_methods(verdict: Verdict) -> Iterator[str]:
    """How pairs were told apart, for a paper."""
    board = verdict.leaderboard
    if board is None or len(verdict.values) == 2:
        return
    models = counted(len(verdict.values), "model")
    if board.rule == "posterior":
        yield "Tiers and ranks follow from who beats whom pair by pair, and hold for each pair alone."
        return
    how = "Holm's method"
    if board.rule == "draws":
        how = (
            f"a step-down of the largest difference (Romano and Wolf, 2005) over {count(board.draws)} normal draws of "
            f"equal models with the covariance of the values{_by_influences(verdict)}"
        )
    yield (
        f"Tiers and ranks: of all pairs of {models} those were called different that differ by {how}, so that the "
        f"probability of any false order is about {verdict.alpha:g} at most; a model that is beaten by b others has at "
        "least rank b + 1, and one that beats w others at most rank k - w of k (Mogstad et al., 2024)."
    )


def _by_influences(verdict: Verdict) -> str:
    """Of many models the pairs without the best one are not tested one by one."""
    is_own = not verdict.design.by_rows or verdict.test.name == "influence" or len(verdict.values) <= FEW_MODELS
    return "" if is_own else "; pairs without the best model by their row influences"


def goal_alone(verdict: Verdict) -> list[str]:
    """Why no other metric is there."""
    if not verdict.goal_alone:
        return []
    if not verdict.predictions.has_rows:
        return ["only the goal is asked of a database; --metrics M1,M2 adds others"]
    return [f"with {len(verdict.values):,} models only the goal is judged; --metrics M1,M2 adds others"]


def rows_to_stand_out(verdict: Verdict) -> list[str]:
    """What it takes to tell the first two apart: as a pair that was named before, and among all that may be best."""
    pair, alone = verdict.rows_at_least, verdict.rows_to_stand_out
    if verdict.outcome != "tie" or pair is None or alone is None or alone <= verdict.predictions.rows:
        return []
    if pair <= verdict.predictions.rows:
        return [f"at least {alone:,} rows tell the first two apart among all that may be best"]
    return [f"at least {pair:,} rows tell the first two apart ({alone:,} among all that may be best)"]
