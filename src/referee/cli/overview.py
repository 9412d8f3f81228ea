"""What `referee --help` shows: the commands, one line each; it needs nothing that takes time to import."""

from __future__ import annotations

COMMANDS = {
    "evaluate": "Score every model on every metric.",
    "compare": "Name the winner on the goal metric, or a tie.",
    "gate": "Let a candidate replace production, or not: for pipelines.",
    "history": "Show the looks that a gate's ledger has kept.",
    "select": "Fit models on the same splits of data and name the winner.",
    "study": "Repeat the paper's experiment: which metric selects the right model?",
    "plan": "Say how many rows it takes to find a difference.",
    "advise": "Find the goal metric, by questions and from data.",
    "curves": "Give the points of ROC, precision-recall and other curves.",
    "threshold": "Choose a threshold for a goal, and say what it is worth.",
    "calibrate": "Say whether probabilities are right, and make them so.",
    "metrics": "List the metrics, or show one's card.",
    "schemes": "List the resampling schemes, or show one's card.",
    "tests": "List the significance tests, or show one's card.",
    "learners": "List what can be fitted, or show one's card.",
    "sources": "List what can be read, or show one's card.",
    "lecture": "Go through the lecture on evaluation, with its numbers or yours.",
    "demo": "Run the main job on data that ship with scikit-learn.",
}
PURPOSE = "Name the winning model on the metric you care about, or a tie."


def overview() -> str:
    """The help of the command line as a whole."""
    commands = "\n".join(f"  {name:<10}{line}" for name, line in COMMANDS.items())
    return f"""Usage: referee [OPTIONS] COMMAND [ARGS]...

  {PURPOSE}

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
{commands}

  `referee COMMAND --help` shows the options of a command."""
