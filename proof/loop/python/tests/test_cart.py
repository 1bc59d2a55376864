import unittest

import pytest

from shop.cart import Cart


def test_empty_costs_nothing() -> None:
    assert Cart().total() == 0


class TestFilled:
    def test_sums(self) -> None:
        cart = Cart()
        cart.add(2)
        cart.add(3)
        assert cart.total() == 5

    @pytest.mark.parametrize("price", [0, 0])
    def test_nothing_adds_nothing(self, price: int) -> None:
        cart = Cart()
        cart.add(price)
        assert cart.total() == 0


class OldFashioned(unittest.TestCase):
    def test_is_empty(self) -> None:
        self.assertEqual([], Cart().prices)
