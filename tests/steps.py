"""What a call takes of SQLite, however fast the machine is."""

from models import database


def steps_of(work, each=1):
    """How often SQLite's virtual machine has called back, after so many instructions each time."""
    counted = []
    connection = database.connection()
    connection.set_progress_handler(lambda: counted.append(1) and None, each)
    try:
        work()
    finally:
        connection.set_progress_handler(None, each)
    return len(counted)
