"""Building blocks of every admin: confirm dialogs, history, read-only bases, charts, exports, panels."""
