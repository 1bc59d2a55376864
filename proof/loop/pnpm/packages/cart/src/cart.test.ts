import { describe, expect, it, test } from "vitest";
import { Cart } from "./cart";

describe("Cart", () => {
  it("costs nothing when empty", () => {
    expect(new Cart().total()).toBeCloseTo(0);
  });

  describe("filled", () => {
    it("sums (2 + 3)", () => {
      const cart = new Cart();
      cart.add(2);
      cart.add(3);
      expect(cart.total()).toBe(5);
    });
  });
});
