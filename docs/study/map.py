"""Make the regret map: map.md with its pictures, map.json, and what `compare` and `advise` read of it.

These are the prior of the selection index (prior.json) and what to choose by while the goal is open (open_goal.json).

    python docs/study/map.py [--data DIR] [--packages DIR] [--store DIR] [--out DIR]

Debian's packages are downloaded by apt-get unless they are somewhere, unpacked. A store is a folder to go on in. With
the same versions it gives the same bytes; with --out they go there.
"""

from __future__ import annotations

import argparse
import json
import resource
import sys
import tempfile
from pathlib import Path

from problems import problems

from referee.advice import open_goal
from referee.comparing import selection_index
from referee.page.shell import versions
from referee.paper import regret_map
from referee.paper.regret_advice import open_goal_table

HERE = Path(__file__).parent
DATA = "../shared/data"
PICTURES = ("accuracy", "f1", "auc", "balanced-accuracy", "cost", "log-loss", "brier")
"""By goal."""


def main() -> None:
    given = asked()
    known, new = problems(given.data, given.packages)
    with tempfile.TemporaryDirectory() as spare:
        found = regret_map(known, held_out=new, jobs=2, store=given.store or spare, quiet=False)
    (given.out / "map.json").write_text(found.to_json() + "\n")
    (given.out / "map.md").write_text(readme(found.to_markdown(), known, new))
    for name in PICTURES:
        found.plot(f"regret-{name}").save(given.out / f"regret-{name}.svg")
    published = found.prior.to_dict()
    published["covariances"] = {"any": published["covariances"]["any"]}
    prior = selection_index.PRIOR_FILE if given.out == HERE else given.out / selection_index.PRIOR_FILE.name
    prior.write_text(json.dumps(published, indent=1) + "\n")
    table = open_goal.MAP_FILE if given.out == HERE else given.out / open_goal.MAP_FILE.name
    table.write_text(json.dumps(open_goal_table(found), indent=1) + "\n")
    sys.stderr.write(f"CPU seconds: {cpu_seconds():.0f}\n")


def asked() -> argparse.Namespace:
    reader = argparse.ArgumentParser()
    for name, otherwise in {"data": HERE.parents[1] / DATA, "packages": None, "store": None, "out": HERE}.items():
        reader.add_argument(f"--{name}", type=Path, default=otherwise)
    return reader.parse_args()


def cpu_seconds() -> float:
    """Of this process and of those that it started."""
    used = [resource.getrusage(whose) for whose in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def readme(findings: str, known: dict, new: dict) -> str:
    return f"""# The regret map
What choosing a model on few rows costs, by the goal itself and by other metrics. Made by [map.py](map.py);
all numbers with their intervals: [map.json](map.json). {versions()}.

27 candidates of six learners are fitted on 2 training sets of each problem (15% of the rows, 30% of fewer than 3,000,
at most 1,500); holdout sets are drawn, with replacement, from what the models say of up to 10,000 other rows, which
tell what is true. A size beyond the number of these rows is left out, so larger holdout sets rest on fewer sources.
The prior of the selection index is learned from the first group of sources, for each of them without itself; as it is
learned from all of them it is published, and `referee compare` and `select` use it. The second group was added when
the rule that says for which goals the index advises was fixed, and nothing was changed after it had been looked at
([decision 0084](../decisions/0084-where-the-index-advises.md)). Three older limits were set on sources of the first
group: no advice for costs, none with fewer than ten rows of the rarer class or where that is less than a tenth of the
rows, and no belief in differences beyond eight standard deviations (ticdata, satellite-crop and soybean showed why).

| learned from | problems |
|---|---|
| {_sources(known)} | {", ".join(known)} |

| held out (Debian's r-cran-aer and r-cran-caret) | problems |
|---|---|
| {_sources(new)} | {", ".join(new)} |

{" ".join(f"![Regret by holdout rows, goal {name.replace('-', ' ')}](regret-{name}.svg)" for name in PICTURES)}

{findings}"""


def _sources(problems: dict) -> str:
    return ", ".join(dict.fromkeys(problem.source for problem in problems.values()))


if __name__ == "__main__":
    main()
