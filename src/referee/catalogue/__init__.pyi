from .call_syntax import parse_call, parse_value, plain_value, python_call, split_list, write_call, write_value, written
from .cards import Card, Listing, Shelf, in_words, parameter_in_words, parameters
from .entry import Entry, Parameter, argument_names, arguments_of
from .folder import Catalogue, letters_of
from .keywords import SYNONYMS, known_keywords
from .worked_formula import (
    Formula,
    brief,
    in_symbols,
    is_number,
    names_in,
    with_enough_digits,
    worked_form,
    worked_lines,
)

__all__ = [
    "SYNONYMS", "Card", "Catalogue", "Entry", "Formula", "Listing", "Parameter", "Shelf", "argument_names",
    "arguments_of", "brief", "in_symbols", "in_words", "is_number", "known_keywords", "letters_of", "names_in",
    "parameter_in_words", "parameters", "parse_call", "parse_value", "plain_value", "python_call", "split_list",
    "with_enough_digits", "worked_form", "worked_lines", "write_call", "write_value", "written",
]  # fmt: skip
