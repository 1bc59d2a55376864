package shop;

import java.util.ArrayList;
import java.util.List;

public class Cart {
    private final List<Priced> items = new ArrayList<>();

    public void add(Priced item) {
        items.add(item);
    }

    public int total() {
        int sum = 0;
        for (Priced item : items) {
            sum += item.price();
        }
        return sum;
    }
}
