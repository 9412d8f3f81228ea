"""Make the regret map and the prior of the selection index: map.md with its pictures, map.json and prior.json.

    python docs/study/map.py [DIR of the data sets] [DIR of Debian's R packages, unpacked] [DIR to go on in]

Without the second, the packages are downloaded by apt-get. With the same versions it gives the same bytes.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

from problems import held_out, learned_from

from referee.comparing import selection_index
from referee.page.shell import versions
from referee.paper import regret_map

HERE = Path(__file__).parent
DATA = "../shared/data"
PICTURES = ("accuracy", "f1", "auc", "balanced-accuracy", "cost", "log-loss", "brier")
"""By goal."""


def main() -> None:
    given = dict(enumerate(map(Path, sys.argv[1:])))
    known = learned_from(given.get(0, HERE.parents[1] / DATA))
    new = held_out(given.get(1))
    folder = given.get(2) or Path(tempfile.mkdtemp())
    found = regret_map(known, held_out=new, jobs=2, store=folder, quiet=False)
    (HERE / "map.json").write_text(found.to_json() + "\n")
    (HERE / "map.md").write_text(readme(found.to_markdown(), known, new))
    for name in PICTURES:
        found.plot(f"regret-{name}").save(HERE / f"regret-{name}.svg")
    published = found.prior.to_dict()
    published["covariances"] = {"any": published["covariances"]["any"]}
    selection_index.PRIOR_FILE.write_text(json.dumps(published, indent=1) + "\n")


def readme(findings: str, known: dict, new: dict) -> str:
    return f"""# The regret map
What choosing a model on few rows costs, by the goal itself and by other metrics. Made by [map.py](map.py);
all numbers with their intervals: [map.json](map.json). {versions()}.

27 candidates of six learners are fitted on 2 training sets of each problem (15% of the rows, 30% of fewer than 3,000,
at most 1,500); holdout sets are drawn, with replacement, from what the models say of up to 10,000 other rows, which
tell what is true. A size beyond the number of these rows is left out, so larger holdout sets rest on fewer sources.
The prior of the selection index is learned from the first group of sources, for each of them without itself; as it is
learned from all of them it is published, and `referee compare` and `select` use it. The second group was not looked at
before the index was made. Three limits were set after it was: no advice for costs, none with fewer than ten rows of
the rarer class or where that is less than a tenth of the rows, and no belief in differences beyond eight standard
deviations (ticdata, satellite-crop and soybean showed why). So "the index where referee gives it" is a little better
there than it would be on sources that nobody has seen.

| learned from | problems |
|---|---|
| {_sources(known)} | {", ".join(known)} |

| held out (Debian's r-cran-kernlab and r-cran-mlbench) | problems |
|---|---|
| {_sources(new)} | {", ".join(new)} |

{" ".join(f"![Regret by holdout rows, goal {name.replace('-', ' ')}](regret-{name}.svg)" for name in PICTURES)}

{findings}"""


def _sources(problems: dict) -> str:
    return ", ".join(dict.fromkeys(problem.source for problem in problems.values()))


if __name__ == "__main__":
    main()
