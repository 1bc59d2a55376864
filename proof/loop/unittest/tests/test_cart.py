import unittest

from shop.cart import Cart


class CartTest(unittest.TestCase):
    def check(self, cart: Cart, total: int) -> None:
        self.assertEqual(cart.total(), total)

    def test_empty_costs_nothing(self) -> None:
        self.check(Cart(), 0)

    def test_sums(self) -> None:
        cart = Cart()
        cart.add(2)
        cart.add(3)
        self.assertEqual(cart.total(), 5)
