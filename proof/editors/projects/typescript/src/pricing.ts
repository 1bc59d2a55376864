import type { Cart } from "./cart";

/** The total less a share of it. */
export function discounted(cart: Cart, percent: number): number {
  return cart.total() * (1 - percent / 100);
}
