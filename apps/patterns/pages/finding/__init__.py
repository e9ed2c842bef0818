"""Places, names, words, addresses."""

from apps.patterns.pattern import Room, Text

ROOM = Room(Text("Finding", "查找"), order=4)
