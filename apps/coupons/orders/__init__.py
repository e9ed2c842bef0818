"""Orders as rows: recorded from the stream, changed along their states, closed, cancelled early,
set aside.
"""
