"""From a claim to an order, and what is done later."""

from apps.patterns.pattern import Room, Text

ROOM = Room(Text("Selling", "售卖"), order=2)
