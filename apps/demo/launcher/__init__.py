"""`make demo`: starts, restarts and ends every process of the site on this machine.

Only `prepare_process`, which runs as a child, imports Django.
"""
