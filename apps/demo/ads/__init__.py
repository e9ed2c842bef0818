"""The demo's ads: four advertisers, a dozen ads, and a week in which people saw and followed them."""
