from .call_syntax import parse_call, parse_value, plain_value, split_list, write_call, write_value
from .entry import Entry, Parameter, argument_names, arguments_of
from .folder import Catalogue

__all__ = [
    "Catalogue", "Entry", "Parameter", "argument_names", "arguments_of", "parse_call", "parse_value", "plain_value",
    "split_list", "write_call", "write_value",
]  # fmt: skip
