from shop.cart import Cart


def discounted(cart: Cart, percent: float) -> float:
    """The total less a share of it."""
    return cart.total() * (1 - percent / 100)
