//! The cost of a cart, in words.

use crate::cart::Cart;
use crate::cart::Line;
use crate::pricing::discounted;

pub fn summary(cart: &Cart) -> String {
    let text = String::from("🛒 ") + &cart.total().to_string();
    text + " / " + &discounted(cart, 10.0).to_string()
}

pub fn sample() -> Cart {
    let mut cart = Cart::default();
    cart.add("tea", 4.5, 1);
    cart
}
