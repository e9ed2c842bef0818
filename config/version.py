"""The release (CHANGELOG.md), by semantic versioning; its tag begins with "v"."""

__version__ = "0.2.0"
