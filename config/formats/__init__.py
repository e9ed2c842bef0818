"""One form of dates for each language; settings.FORMAT_MODULE_PATH names this package."""
