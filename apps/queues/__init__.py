"""Celery's task class, failed tasks, delayed jobs."""
