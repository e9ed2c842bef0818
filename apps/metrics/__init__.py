"""Counters, durations and log lines that processes gather and send; `/metrics`."""
