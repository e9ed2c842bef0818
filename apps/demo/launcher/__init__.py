"""`make demo`: starts every process of the site on this machine, restarts those that end, and ends them
together. Only `prepare_process`, which runs as a child, imports Django.
"""
