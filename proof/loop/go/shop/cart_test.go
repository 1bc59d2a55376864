package shop

import "testing"

func TestEmptyCostsNothing(t *testing.T) {
	if got := new(Cart).Total(); got != 0 {
		t.Errorf("got %d", got)
	}
}

func TestSums(t *testing.T) {
	t.Run("two and three", func(t *testing.T) {
		cart := new(Cart)
		cart.Add(2)
		cart.Add(3)
		if got := cart.Total(); got != 5 {
			t.Errorf("got %d, want 5", got)
		}
	})
}
