package load

// turns is how requests take turns on a connection, which begins with the first.
type turns struct {
	all   int // requests
	again int // the one behind the last; those before it are sent once
}

// after returns whose turn it is n requests after another.
func (t turns) after(turn, n int) int {
	if turn += n; turn >= t.all {
		turn = t.again + (turn-t.all)%(t.all-t.again)
	}
	return turn
}
