import pytest

from shop.cart import Cart


@pytest.mark.parametrize("prices", [[2, 3]], ids=["two::three [5]"])
def test_sums(prices: list[int]) -> None:
    cart = Cart()
    for price in prices:
        cart.add(price)
    assert cart.total() == 5
