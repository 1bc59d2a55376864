package shop.report

import kotlin.math.abs
import shop.Cart
import shop.discounted

fun summary(cart: Cart): String {
    val text = "🛒 " + cart.total()
    return text + " / " + discounted(cart, 10.0)
}

fun sample(): Cart {
    val cart = Cart()
    cart.add("tea", 4.5)
    return cart
}
