package shop;

import java.util.List;
import java.util.ArrayList;

public class Square implements Shape {
    private final double side;

    public Square(double side) {
        this.side = side;
    }

    @Override
    public double area() {
        return side * side;
    }

    static List<Square> some() {
        return List.of(new Square(1), new Square(2));
    }
}
