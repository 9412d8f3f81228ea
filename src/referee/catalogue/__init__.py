"""What all catalogues share: entries that are found by their file names, and the way that people write them."""

from __future__ import annotations

from referee.catalogue.call_syntax import parse_call, parse_value, plain_value, split_list, write_call, write_value
from referee.catalogue.entry import Entry, Parameter, argument_names, arguments_of
from referee.catalogue.folder import Catalogue

__all__ = [
    "Catalogue", "Entry", "Parameter", "argument_names", "arguments_of", "parse_call", "parse_value", "plain_value",
    "split_list", "write_call", "write_value",
]  # fmt: skip
