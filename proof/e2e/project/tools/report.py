"""Prints what a cart costs."""
from tools.money import euros


def report(total):
    return "total: " + euros(total)
