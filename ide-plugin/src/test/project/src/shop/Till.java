package shop;

class Till {
    double total(Iterable<? extends Shape> shapes) {
        double sum = 0;
        for (Shape shape : shapes) {
            sum += shape.area();
        }
        return sum;
    }

    double demo() {
        Shape unit = () -> 1.0;
        return total(Square.some()) + unit.area() + new Tile().area();
    }

    void broken() {
        missing();
        int   untidy=1 ;
    }
}
