import { readFileSync } from "node:fs";
import { Cart } from "./cart";
import { discounted } from "./pricing";

export function summary(cart: Cart): string {
  const text = "🛒 " + `${cart.total()}`;
  return text + " / " + discounted(cart, 10);
}

export function sample(): Cart {
  const cart = new Cart();
  cart.add("tea", 4.5);
  return cart;
}
