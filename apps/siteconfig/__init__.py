"""What operators change while the site runs: maintenance, components, settings."""
