"""What pages and API share: problems, limits, parts of pages, CSP, cross-origin rule, paging, work on commit.

No models, no business.
"""
