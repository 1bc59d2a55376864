package shop

/** The total less a share of it. */
fun discounted(cart: Cart, percent: Double): Double = cart.total() * (1 - percent / 100)
