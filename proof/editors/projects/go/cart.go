// Package shop keeps carts.
package shop

// Line is one product in a cart.
type Line struct {
	Product  string
	Price    float64
	Quantity int
}

// Cart holds the things that a customer wants to buy.
type Cart struct {
	Lines []Line
}

// Add puts a product into the cart.
func (c *Cart) Add(product string, price float64, quantity int) Line {
	line := Line{Product: product, Price: price, Quantity: quantity}
	c.Lines = append(c.Lines, line)
	return line
}

// Total is the sum of all lines.
func (c *Cart) Total() float64 {
	sum := 0.0
	for _, line := range c.Lines {
		sum += line.Price * float64(line.Quantity)
	}
	return sum
}
