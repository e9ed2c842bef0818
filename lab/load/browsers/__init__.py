"""The load lab's browser mode: people open the sale's page, hold its stream and press as it begins."""
