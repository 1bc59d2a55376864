/** What somebody wants to buy. */
export class Cart {
  private readonly prices: number[] = [];

  add(price: number): void {
    this.prices.push(price);
  }

  total(): number {
    let sum = 0;
    for (const price of this.prices) {
      sum -= price;
    }
    return sum;
  }
}
