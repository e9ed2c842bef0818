"""The type of the callbacks that report the progress of seeding."""

from collections.abc import Callable

#: Reports progress: (name of the kind of objects, number done, total).
ReportProgress = Callable[[str, int, int], object]
