"""What every page and API shares: problems, slots, CSP, cross-origin rule, paging, work on commit. No models,
no business.
"""
