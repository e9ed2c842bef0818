"""Visitors and page views, counted by HyperLogLog, and what is popular now."""
