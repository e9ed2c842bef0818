"""Redis for every app: clients, schema, scripts, locks, streams, caches, copies; knows no app."""
