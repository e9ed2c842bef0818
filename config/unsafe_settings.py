"""Refuses settings with which the site would trust strangers or tell them secrets."""

import ipaddress
import re
from collections.abc import Sequence

from django.core.exceptions import ImproperlyConfigured

MIN_KEY_LENGTH, MIN_KEY_CHARACTERS = 50, 10
#: What generators and tutorials write into keys that are meant to be replaced.
_INSECURE_KEY = re.compile(r"django-insecure|development-only|change.?me|your.?secret", re.IGNORECASE)
#: A chain is a CDN, a balancer and nginx; with more, the address is what the client wrote.
MAX_TRUSTED_PROXIES = 10


def refuse_weak_key(key: str, var: str = "SECRET_KEY") -> None:
    """Raise ImproperlyConfigured for a key that is short, repeats itself, or stands in some tutorial."""
    is_long = len(key) >= MIN_KEY_LENGTH and len(set(key)) >= MIN_KEY_CHARACTERS
    is_repetition = key in (key + key)[1:-1]
    if not is_long or is_repetition or _INSECURE_KEY.search(key):
        raise ImproperlyConfigured(
            f"{var} is missing or weak: set it to at least 50 random characters "
            "(python -c 'import secrets; print(secrets.token_urlsafe(50))'), "
            "or type DEMO=1 before a command to try Savor on this machine, as in 'DEMO=1 .venv/bin/python "
            "manage.py shell' beside 'make demo'."
        )


def refuse_unsafe_hosts(allowed_hosts: Sequence[str], trusted_origins: str) -> None:
    """Raise ImproperlyConfigured where any host or any origin would be believed."""
    if any("*" in host for host in allowed_hosts):
        raise ImproperlyConfigured(
            "ALLOWED_HOSTS has a '*', and links in messages would lead to any host that a stranger names: "
            "list the site's names, as in ALLOWED_HOSTS=savor.example,.savor.example."
        )
    if "*" in trusted_origins:
        raise ImproperlyConfigured(
            "CSRF_TRUSTED_ORIGINS has a '*', and every site could act for people who are logged in here: "
            "unset it, and let your proxy send X-Forwarded-Host (TRUSTED_PROXIES)."
        )


def refuse_public_demo(host: str, allowed_hosts: Sequence[str]) -> None:
    """Raise ImproperlyConfigured when other machines reach a demo, which shows log-in codes."""
    for name, given in (("HOST", [host]), ("ALLOWED_HOSTS", allowed_hosts)):
        public = [one for one in given if not is_loopback(one)]
        if public:
            raise ImproperlyConfigured(
                f"DEMO=1 shows log-in codes to everybody, and {name} has {public[0]}: "
                "unset DEMO, or name only this machine (127.0.0.1, localhost)."
            )


def is_loopback(host: str) -> bool:
    """Whether a name or an address, perhaps in brackets, is this machine's alone."""
    name = host.strip().strip("[]").lower()
    if name == "localhost" or name.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return False
