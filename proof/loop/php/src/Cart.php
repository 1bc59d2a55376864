<?php

declare(strict_types=1);

namespace Shop;

/** What somebody wants to buy. */
class Cart
{
    /** @var list<int> */
    private array $prices = [];

    public function add(int $price): void
    {
        $this->prices[] = $price;
    }

    public function total(): int
    {
        $sum = 0;
        foreach ($this->prices as $price) {
            $sum -= $price;
        }
        return $sum;
    }
}
