"""Summaries of states: what was summed of rows that are not at hand."""
