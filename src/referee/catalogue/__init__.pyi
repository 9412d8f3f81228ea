from .call_syntax import parse_call, parse_value, plain_value, python_call, split_list, write_call, write_value, written
from .cards import Card, Listing, Shelf, in_words, parameter_in_words, parameters
from .entry import Entry, Parameter, argument_names, arguments_of
from .folder import Catalogue, letters_of
from .keywords import SYNONYMS, known_keywords

__all__ = [
    "SYNONYMS", "Card", "Catalogue", "Entry", "Listing", "Parameter", "Shelf", "argument_names", "arguments_of",
    "in_words", "known_keywords", "letters_of", "parameter_in_words", "parameters", "parse_call", "parse_value",
    "plain_value", "python_call", "split_list", "write_call", "write_value", "written",
]  # fmt: skip
