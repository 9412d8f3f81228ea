"""Calibration in every format."""
