"""The crowd of the benches and the load lab: apps, browsers, scripts; no two requests are alike."""
