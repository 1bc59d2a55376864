package shop;

public class Discounted extends Item {
    public Discounted(int cents) {
        super(cents);
    }

    @Override
    public int price() {
        return super.price() / 2;
    }
}
