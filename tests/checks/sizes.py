"""Prints the files and folders that have grown long, for a person to judge: python -m tests.checks.sizes."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.checks import sources

MAX_FILE_LINES, MAX_FOLDER_MODULES = 450, 20
TOPS = ("apps", "config", "tests", "lab")


def find_large() -> Iterator[str]:
    """Yield a sentence for each Python file and each folder that is past its size."""
    found = sources.python_sources(*TOPS)
    for source in found:
        if source.lines > MAX_FILE_LINES:
            yield f"{source.path} has {source.lines} lines, more than {MAX_FILE_LINES}"
    modules = Counter(
        str(Path(source.path).parent) for source in found if Path(source.path).stem != "__init__"
    )
    for folder, count in modules.items():
        if count > MAX_FOLDER_MODULES:
            yield f"{folder} has {count} modules, more than {MAX_FOLDER_MODULES}"


if __name__ == "__main__":
    for sentence in find_large():
        print(f"to judge: {sentence}")
