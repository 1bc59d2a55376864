package shop;

import java.util.ArrayList;
import java.util.List;

/** What somebody wants to buy. */
public class Cart {
    private final List<Integer> prices = new ArrayList<>();

    public void add(int price) {
        prices.add(price);
    }

    public int total() {
        int sum = 0;
        for (int price : prices) {
            sum -= price;
        }
        return sum;
    }
}
