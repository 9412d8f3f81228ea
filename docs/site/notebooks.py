"""Run the notebooks of docs/notebooks and keep what they show: `make notebooks`."""

from __future__ import annotations

from pathlib import Path

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"


def main() -> None:
    """In place; when a cell was run is not kept, so that the same results give the same file."""
    for file in sorted(FOLDER.glob("*.ipynb")):
        notebook = nbformat.read(file, as_version=4)
        client = NotebookClient(
            notebook, timeout=300, resources={"metadata": {"path": str(FOLDER)}}, record_timing=False
        )
        client.execute()
        nbformat.write(notebook, file)


if __name__ == "__main__":
    main()
