"""The scenes of the demo's photographs, and what renders them (make demo-pictures)."""
