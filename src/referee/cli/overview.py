"""What `referee --help` shows: the commands, one line each; it needs nothing that takes time to import."""

from __future__ import annotations

COMMANDS = {
    "evaluate": "Score every model on every metric.",
    "compare": "Name the winner on the goal metric, or a tie.",
    "gate": "Decide whether a candidate may replace production (for pipelines).",
    "history": "Show the looks recorded in a ledger or a table of verdicts.",
    "summarise": "Summarise rows in a small file that can be added to others.",
    "select": "Fit models on the same splits of data and name the winner.",
    "study": "Repeat the paper's experiment: which metric selects the right model?",
    "plan": "Work out how many rows it takes to detect a difference.",
    "advise": "Find the right goal metric, by questions and from your data.",
    "curves": "Compute the points of ROC, precision-recall and other curves.",
    "threshold": "Choose a threshold for a goal, and show what it gains.",
    "calibrate": "Check whether probabilities are right, and correct them.",
    "metrics": "List the metrics, or show the card of one.",
    "schemes": "List the resampling schemes, or show the card of one.",
    "tests": "List the significance tests, or show the card of one.",
    "learners": "List what can be fitted, or show the card of one.",
    "sources": "List what can be read, or show the card of one.",
    "serve": "Open a local page where you drop a file and see the verdict.",
    "lecture": "Walk through the lecture on evaluation, with its numbers or yours.",
    "schema": "Print the JSON Schema of a command's output.",
    "demo": "Compare three models on data that ship with scikit-learn.",
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
