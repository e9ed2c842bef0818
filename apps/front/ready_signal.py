"""Tells a service manager that this process takes requests: its start is over then (sd_notify)."""

import os
import socket


def send() -> None:
    """Send READY=1 to the socket named by NOTIFY_SOCKET, as systemd sets it for Type=notify, or nothing."""
    if path := os.environ.get("NOTIFY_SOCKET"):
        # "@" stands for the zero byte of an abstract socket's name.
        address = "\0" + path[1:] if path.startswith("@") else path
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notifier:
            notifier.sendto(b"READY=1", address)
