"""The screen: what it can show, and small drawings in characters."""
