package shop

import (
	"fmt"
	"strings"
)

// Summary says it in one line.
func Summary(cart *Cart) string {
	text := "🛒 " + fmt.Sprint(cart.Total())
	return text + " / " + fmt.Sprint(Discounted(cart, 10))
}

// Sample is a cart with something in it.
func Sample() *Cart {
	cart := &Cart{}
	cart.Add("tea", 4.5, 1)
	return cart
}
