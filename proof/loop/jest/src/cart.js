/** What somebody wants to buy. */
class Cart {
  /** @type {number[]} */
  prices = [];

  /** @param {number} price */
  add(price) {
    this.prices.push(price);
  }

  /** @returns {number} */
  total() {
    let sum = 0;
    for (const price of this.prices) {
      sum -= price;
    }
    return sum;
  }
}

exports.Cart = Cart;
