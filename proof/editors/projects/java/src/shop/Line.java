package shop;

/** One product in a cart. */
public record Line(String product, double price, int quantity) {
}
