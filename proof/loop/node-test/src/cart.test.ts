import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Cart } from "./cart.js";

describe("Cart", () => {
  it("costs nothing when empty", () => {
    assert.ok(new Cart().total() === 0);
  });

  describe("filled", () => {
    it("sums (2 + 3)", () => {
      const cart = new Cart();
      cart.add(2);
      cart.add(3);
      assert.equal(cart.total(), 5);
    });
  });
});
