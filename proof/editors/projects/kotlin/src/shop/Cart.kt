package shop

/** One product in a cart. */
data class Line(val product: String, val price: Double, val quantity: Int)

/** The things that a customer wants to buy. */
class Cart {
    val lines = mutableListOf<Line>()

    /** Puts a product into the cart. */
    fun add(product: String, price: Double, quantity: Int = 1): Line {
        val line = Line(product, price, quantity)
        lines.add(line)
        return line
    }

    /** The sum of all lines. */
    fun total(): Double = lines.sumOf { it.price * it.quantity }
}
