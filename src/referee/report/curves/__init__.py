"""Curves in every format."""
