"""A cart and its lines."""

from dataclasses import dataclass, field


@dataclass
class Line:
    """One product in a cart."""

    product: str
    price: float
    quantity: int = 1

    def amount(self) -> float:
        """The price of the whole line."""
        return self.price * self.quantity


@dataclass
class Cart:
    """The things that a customer wants to buy."""

    lines: list[Line] = field(default_factory=list)

    def add(self, product: str, price: float, quantity: int = 1) -> Line:
        """Puts a product into the cart."""
        line = Line(product, price, quantity)
        self.lines.append(line)
        return line

    def total(self) -> float:
        """The sum of all lines."""
        return sum(line.amount() for line in self.lines)
