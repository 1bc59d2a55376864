<?php

namespace Shop;

/** The things that a customer wants to buy. */
class Cart
{
    /** @var Line[] */
    public array $lines = [];

    /** Puts a product into the cart. */
    public function add(string $product, float $price, int $quantity = 1): Line
    {
        $line = new Line($product, $price, $quantity);
        $this->lines[] = $line;
        return $line;
    }

    /** The sum of all lines. */
    public function total(): float
    {
        $sum = 0.0;
        foreach ($this->lines as $line) {
            $sum += $line->price * $line->quantity;
        }
        return $sum;
    }
}
