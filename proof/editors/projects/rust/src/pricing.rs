//! Prices.

use crate::cart::Cart;

/// The total less a share of it.
pub fn discounted(cart: &Cart, percent: f64) -> f64 {
    cart.total() * (1.0 - percent / 100.0)
}
