from .call_text import python_call, written
from .written_files import refuse_existing, refuse_no_place, sync_folder, write_file, write_whole

__all__ = ["python_call", "refuse_existing", "refuse_no_place", "sync_folder", "write_file", "write_whole", "written"]
