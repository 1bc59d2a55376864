package shop

import kotlin.test.Test
import kotlin.test.assertEquals

class CartTest {
    @Test
    fun `empty costs nothing`() {
        assertEquals(0, Cart().total())
    }

    @Test
    fun sums() {
        val cart = Cart()
        cart.add(2)
        cart.add(3)
        assertEquals(5, cart.total())
    }
}
