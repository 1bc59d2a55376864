package shop;

import java.util.ArrayList;
import java.util.List;

/** The things that a customer wants to buy. */
public class Cart {
    final List<Line> lines = new ArrayList<>();

    /** Puts a product into the cart. */
    public Line add(String product, double price, int quantity) {
        Line line = new Line(product, price, quantity);
        lines.add(line);
        return line;
    }

    /** The sum of all lines. */
    public double total() {
        double sum = 0;
        for (Line line : lines) {
            sum += line.price() * line.quantity();
        }
        return sum;
    }
}
