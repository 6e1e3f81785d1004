package wire

import "fmt"

// fate is what a proxy does to a connection when so many bytes have gone one way.
type fate struct {
	kind  ending
	way   direction
	after int64
}

type ending uint8

const (
	whole    ending = iota // nothing
	isReset                // both ends see a reset
	isClosed               // this direction ends as if its sender had closed it; the other goes on until it ends by itself
)

type direction uint8

const (
	toServer direction = iota
	toClient
)

// on returns what becomes of one direction.
func (f fate) on(d direction) fate {
	if f.way != d {
		return fate{}
	}
	return f
}

func (f fate) String() string {
	return fmt.Sprintf("%s after %d bytes %s", [...]string{"whole", "reset", "closed"}[f.kind], f.after,
		[...]string{"to the server", "to the client"}[f.way])
}
