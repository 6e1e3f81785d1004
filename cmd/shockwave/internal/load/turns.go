package load

// turns says in what order requests are sent on a connection: from 0 to all-1, and then from again to all-1 repeatedly.
type turns struct {
	all   int // number of different requests
	again int // the request after the last one
}

// after returns the index of the request that is n after turn.
func (t turns) after(turn, n int) int {
	if turn += n; turn >= t.all {
		turn = t.again + (turn-t.all)%(t.all-t.again)
	}
	return turn
}
