"""Reports errors to a Sentry, where the setting SENTRY_DSN names one; installed with it alone."""
