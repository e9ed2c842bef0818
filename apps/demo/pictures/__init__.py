"""Pictures of the demo's notes, drawn with Pillow: one seed, always the same album."""
