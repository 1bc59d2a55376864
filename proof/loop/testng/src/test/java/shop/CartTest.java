package shop;

import static org.testng.Assert.assertEquals;

import org.testng.annotations.BeforeMethod;
import org.testng.annotations.DataProvider;
import org.testng.annotations.Test;

@Test
public class CartTest {
    private Cart cart;

    @BeforeMethod
    public void fill() {
        cart = new Cart();
    }

    @DataProvider
    public Object[][] prices() {
        return new Object[][] {{2, 3}};
    }

    public void emptyCostsNothing() {
        assertEquals(cart.total(), 0);
    }

    @Test(dataProvider = "prices")
    public void sums(int first, int second) {
        cart.add(first);
        cart.add(second);
        assertEquals(cart.total(), 5);
    }
}
