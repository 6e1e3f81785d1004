package pace

// Turns says in what order requests are sent on a connection: from 0 to All-1, and then from Again to All-1 repeatedly.
type Turns struct {
	All   int // number of different requests
	Again int // the request after the last one
}

// After returns the index of the request that is n after turn.
func (t Turns) After(turn, n int) int {
	if turn += n; turn >= t.All {
		turn = t.Again + (turn-t.All)%(t.All-t.Again)
	}
	return turn
}
