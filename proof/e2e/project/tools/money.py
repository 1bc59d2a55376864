"""Amounts of money as text."""


def euros(cents):
    return f"{cents / 100:.2f} EUR"


def unused(cents):
    return cents
