"""What is shown of results."""

from __future__ import annotations

from referee.document.call_text import python_call, written
from referee.document.written_files import refuse_existing, refuse_no_place, sync_folder, write_file, write_whole

__all__ = ["python_call", "refuse_existing", "refuse_no_place", "sync_folder", "write_file", "write_whole", "written"]
