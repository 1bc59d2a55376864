package shop;

import java.util.Map;
import java.util.Optional;

class Report {
    Optional<String> summary(Cart cart) {
        String text = "🛒 " + cart.total();
        return Optional.of(text + " / " + Pricing.discounted(cart, 10));
    }

    Cart sample() {
        Cart cart = new Cart();
        cart.add("tea", 4.5, 1);
        return cart;
    }
}
