"""Ways to map scores to probabilities, one file each."""

from referee.calibration.methods.beta import method as beta
from referee.calibration.methods.isotonic import method as isotonic
from referee.calibration.methods.method import Map, Method
from referee.calibration.methods.platt import method as platt
from referee.calibration.methods.temperature import method as temperature

__all__ = ["METHODS", "Map", "Method"]

METHODS: dict[str, Method] = {one.name: one for one in (platt, isotonic, temperature, beta)}
