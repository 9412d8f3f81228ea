"""Thresholds in every format."""
