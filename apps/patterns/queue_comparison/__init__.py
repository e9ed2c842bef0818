"""Four ways to hand messages to a worker, side by side: docs/patterns/queues.md tells when each is right."""
