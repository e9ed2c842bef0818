"""`make demo`: starts, restarts and ends every process of the site on this machine.

Only `prepare_process` and `forked_workers`, which run as children, import Django.
"""
