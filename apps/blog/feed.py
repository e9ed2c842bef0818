"""The notes of the people I follow."""


def announce(note_id: int) -> None:
    """Bring a note that was just published to its author's followers; called after the commit."""
