package shop;

final class Pricing {
    private Pricing() {
    }

    /** The total less a share of it. */
    static double discounted(Cart cart, double percent) {
        return cart.total() * (1 - percent / 100);
    }
}
