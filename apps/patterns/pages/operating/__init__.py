"""What the site knows about itself, and how it is set."""

from apps.patterns.pattern import Room, Text

ROOM = Room(Text("Operating", "运维"), order=6)
