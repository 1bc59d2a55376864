<?php

declare(strict_types=1);

namespace Shop\Tests;

use PHPUnit\Framework\TestCase;
use Shop\Cart;

final class CartTest extends TestCase
{
    public function testEmptyCostsNothing(): void
    {
        self::assertSame(0, (new Cart())->total());
    }

    public function testSums(): void
    {
        $cart = new Cart();
        $cart->add(2);
        $cart->add(3);
        self::assertSame(5, $cart->total());
    }
}
