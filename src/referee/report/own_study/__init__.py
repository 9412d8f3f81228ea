"""The study of a user's own data in every format."""
