"""People: log-in codes, passkeys, sessions, profiles, relations between people, staff, deleted accounts."""
