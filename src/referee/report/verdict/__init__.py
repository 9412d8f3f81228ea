"""A verdict in every format."""
