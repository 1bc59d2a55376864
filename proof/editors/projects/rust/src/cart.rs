//! Carts and their lines.

/// One product in a cart.
pub struct Line {
    pub product: String,
    pub price: f64,
    pub quantity: u32,
}

/// The things that a customer wants to buy.
#[derive(Default)]
pub struct Cart {
    pub lines: Vec<Line>,
}

impl Cart {
    /// Puts a product into the cart.
    pub fn add(&mut self, product: &str, price: f64, quantity: u32) {
        self.lines.push(Line { product: product.to_owned(), price, quantity });
    }

    /// The sum of all lines.
    pub fn total(&self) -> f64 {
        self.lines.iter().map(|line| line.price * f64::from(line.quantity)).sum()
    }
}
