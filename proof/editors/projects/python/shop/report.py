import os

from shop.cart import Cart
from shop.pricing import discounted


def summary(cart: Cart) -> str:
    text = "🛒 " + str(cart.total())
    return text + " / " + str(discounted(cart, 10))


def sample() -> Cart:
    cart = Cart()
    cart.add("tea", 4.5)
    return cart
