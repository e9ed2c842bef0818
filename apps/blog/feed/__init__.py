"""The feed of notes by people one follows: fan-out writes them to inboxes in Redis, SQL fills the gaps."""
