"""Messages of the site's staff to many people."""
