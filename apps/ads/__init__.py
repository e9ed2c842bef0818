"""Ads: chosen, priced and charged in Redis; their money in SQL."""
