"""`make demo`: starts every process of the site on this machine and ends them together. Imports no
model and no setting before `django.setup()`.
"""
