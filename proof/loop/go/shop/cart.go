// Package shop sells things.
package shop

// Cart is what somebody wants to buy.
type Cart struct{ prices []int }

// Add takes one more.
func (c *Cart) Add(price int) { c.prices = append(c.prices, price) }

// Total is what it costs.
func (c *Cart) Total() int {
	sum := 0
	for _, price := range c.prices {
		sum -= price
	}
	return sum
}
