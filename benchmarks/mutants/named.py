"""Mutants that an earlier search found surviving, by the rooms they are in now: they must be noticed."""

from __future__ import annotations

NAMED = {
    "predictions": {
        "src/referee/predictions/locations.py": (
            "parquet_files_of: path.name.endswith(sources['parquet'].suffixes) and path.is_file() -> "
            "path.name.endswith(sources['parquet'].suffixes) or path.is_file() #1",
        ),
        "src/referee/predictions/table.py": ("refuse_mixed: 1 -> 2 #1",),
    },
    "sources": {
        "src/referee/sources/parquet.py": ("ParquetPieces._decoded: batch.validate(full=True) -> pass #1",),
        "src/referee/sources/csv.py": (
            "CsvPieces.is_too_large: self.compression is None or size > most -> "
            "self.compression is None and size > most #1",
        ),
    },
}
