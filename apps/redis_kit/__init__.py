"""Redis for every app: clients, schema, scripts, locks, streams, caches; knows no app and no model."""
