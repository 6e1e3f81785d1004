package http2

// charge makes the peer pay cost. If the budget does not cover it, the connection ends.
func (k *control) charge(cost int32) {
	if k.cfg.Budget >= 0 && !k.budget.Pay(cost, k.now) {
		k.fail(errCalm)
	}
}
