package shop;

import static org.junit.Assert.assertEquals;

import org.junit.Test;

public class CartTest {
    @Test
    public void emptyCostsNothing() {
        assertEquals(0, new Cart().total());
    }

    @Test
    public void sums() {
        Cart cart = new Cart();
        cart.add(2);
        cart.add(3);
        assertEquals(5, cart.total());
    }
}
