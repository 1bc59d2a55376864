package shop;

public class Item implements Priced {
    private final int cents;

    public Item(int cents) {
        this.cents = cents;
    }

    @Override
    public int price() {
        return cents;
    }
}
