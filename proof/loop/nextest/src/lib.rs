//! A shop.

/// Things that somebody wants to buy.
#[derive(Default)]
pub struct Cart {
    prices: Vec<i32>,
}

impl Cart {
    /// Takes one more.
    pub fn add(&mut self, price: i32) {
        self.prices.push(price);
    }

    /// The price of all.
    pub fn total(&self) -> i32 {
        let mut sum = 0;
        for price in &self.prices {
            sum -= price;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_costs_nothing() {
        assert_eq!(Cart::default().total(), 0);
    }

    #[test]
    fn sums() {
        let mut cart = Cart::default();
        cart.add(2);
        cart.add(3);
        assert_eq!(cart.total(), 5);
    }
}
