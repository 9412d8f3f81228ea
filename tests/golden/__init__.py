"""What every command prints in every format, frozen: a move inside the package must not change a letter.

`python -m tests.golden` writes the texts anew; a change of wording shows in the diff, and belongs in the changelog.
"""
