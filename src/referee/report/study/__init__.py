"""The study in every format."""
