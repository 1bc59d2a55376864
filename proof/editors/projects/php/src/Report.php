<?php

namespace Shop\Reports;

use ArrayObject;
use Shop\Cart;
use function Shop\discounted;

class Report
{
    public function summary(Cart $cart): string
    {
        $text = "🛒 " . $cart->total();
        return $text . " / " . discounted($cart, 10);
    }

    public function sample(): Cart
    {
        $cart = new Cart();
        $cart->add("tea", 4.5);
        return $cart;
    }
}
