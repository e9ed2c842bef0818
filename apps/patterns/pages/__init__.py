"""The pattern pages: a package a room, a module a pattern, found by `registry`."""
