"""People: log-in codes and sessions, profiles, relations between people, staff, deleted accounts."""
