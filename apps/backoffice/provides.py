"""What the back office gives to others: the lens' recording of SQL."""

from apps.backoffice.lens import recording
from apps.front import sql_threads

sql_threads.AROUND_CALLS.register(recording.recording_statements, key="lens")
