"""What can be imported: each app registers what turns rows of a file into rows of its tables."""

from apps.imports.resource import BatchResource
from apps.web.registry import Registry

#: By name, as Import.kind has it.
KINDS: Registry[type[BatchResource]] = Registry("what can be imported")
