"""What somebody wants to buy."""


class Cart:
    def __init__(self) -> None:
        self.prices: list[int] = []

    def add(self, price: int) -> None:
        self.prices.append(price)

    def total(self) -> int:
        total = 0
        for price in self.prices:
            total -= price
        return total
