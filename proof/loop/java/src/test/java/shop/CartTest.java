package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CartTest {
    @Test
    void emptyCostsNothing() {
        assertEquals(0, new Cart().total());
    }

    @Nested
    class Filled {
        @Test
        void sums() {
            Cart cart = new Cart();
            cart.add(2);
            cart.add(3);
            assertEquals(5, cart.total());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0})
    void nothingAddsNothing(int price) {
        Cart cart = new Cart();
        cart.add(price);
        assertEquals(0, cart.total());
    }
}
