"""What was tried in order to break referee, part by part: docs/reliability.md."""
