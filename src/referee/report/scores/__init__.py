"""Scores in every format."""
