package shop

// Discounted is the total less a share of it.
func Discounted(cart *Cart, percent float64) float64 {
	return cart.Total() * (1 - percent/100)
}
