package shop

/** What somebody wants to buy. */
class Cart {
    private val prices = mutableListOf<Int>()

    fun add(price: Int) {
        prices.add(price)
    }

    fun total(): Int {
        var sum = 0
        for (price in prices) {
            sum -= price
        }
        return sum
    }
}
