"""Compares four designs of a message queue on Redis; docs/patterns/queues.md says when to use each."""
