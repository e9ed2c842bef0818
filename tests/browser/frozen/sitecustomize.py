"""Stops the process's clock at FROZEN_AT: Python imports this at its start where PYTHONPATH leads here."""

import os

import time_machine

time_machine.travel(os.environ["FROZEN_AT"], tick=False).start()
