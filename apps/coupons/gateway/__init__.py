"""The event loop's front: claims and live streams that are answered before Django."""
