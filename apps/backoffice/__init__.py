"""Staff tools that need every app: the lens on a request, the visitors' page, the sitemap."""
