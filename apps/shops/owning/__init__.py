"""What owners write of their shops on the site: texts, hours, price and photos."""
