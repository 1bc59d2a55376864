/** One product in a cart. */
export interface Line {
  product: string;
  price: number;
  quantity: number;
}

/** The things that a customer wants to buy. */
export class Cart {
  readonly lines: Line[] = [];

  /** Puts a product into the cart. */
  add(product: string, price: number, quantity = 1): Line {
    const line = { product, price, quantity };
    this.lines.push(line);
    return line;
  }

  /** The sum of all lines. */
  total(): number {
    return this.lines.reduce((sum, line) => sum + line.price * line.quantity, 0);
  }
}
