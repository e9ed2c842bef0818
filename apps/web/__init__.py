"""What every page and API shares: problems, slots, CSP, CSRF, paging, work on commit. No models,
no business.
"""
