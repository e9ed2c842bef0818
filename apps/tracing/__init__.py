"""Traces of requests and tasks by OpenTelemetry; installed with OTEL_EXPORTER_OTLP_ENDPOINT alone."""
