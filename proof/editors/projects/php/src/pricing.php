<?php

namespace Shop;

/** The total less a share of it. */
function discounted(Cart $cart, float $percent): float
{
    return $cart->total() * (1 - $percent / 100);
}
