"""A test explained step by step."""
