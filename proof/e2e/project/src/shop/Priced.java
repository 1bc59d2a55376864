package shop;

/** Something with a price. */
public interface Priced {
    int price();
}
