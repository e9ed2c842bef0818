"""What a page that is the same for everybody tells one person: `GET /api/me/page`."""
