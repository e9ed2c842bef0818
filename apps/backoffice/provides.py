"""What the back office gives to others: names of rebuilds, and the lens' recording of SQL."""

from apps.backoffice.lens import recording
from apps.backoffice.rebuild_labels import LABELS
from apps.monitoring.rebuilding import REBUILD_LABELS
from apps.web.serving import sql_threads

for _name, _label in LABELS.items():
    REBUILD_LABELS.register(_label, key=_name)
sql_threads.AROUND_CALLS.register(recording.recording_statements, key="lens")
