import { Cart } from "cart";

export function due(prices: number[]): number {
  const cart = new Cart();
  prices.forEach((price) => cart.add(price));
  return cart.total();
}
