"""Pictures as files, by matplotlib: an extra."""
