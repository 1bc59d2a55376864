<?php

namespace Shop;

/** One product in a cart. */
class Line
{
    public function __construct(
        public string $product,
        public float $price,
        public int $quantity,
    ) {
    }
}
