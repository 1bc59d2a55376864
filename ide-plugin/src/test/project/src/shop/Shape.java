package shop;

/** Something with an area. */
public interface Shape {
    /** The area in square units. */
    double area();

    default String label() {
        return "shape " + area();
    }
}
