"""Whether a prediction that knows nothing, or a distorted copy of the model, does better on the goal metric."""

from referee.linting.linting import Finding, lint

__all__ = ["Finding", "lint"]
