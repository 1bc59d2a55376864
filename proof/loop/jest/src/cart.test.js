const { Cart } = require("./cart");

describe("Cart", () => {
  it("costs nothing when empty", () => {
    expect(new Cart().total()).toBeCloseTo(0);
  });

  describe.each([[2, 3]])("filled with %d", (first, second) => {
    it("sums", () => {
      const cart = new Cart();
      cart.add(first);
      cart.add(second);
      expect(cart.total()).toBe(5);
    });
  });
});
