from collections.abc import Callable

#: (what is being made, how many are done, of how many)
ReportProgress = Callable[[str, int, int], object]
