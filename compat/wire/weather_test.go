package wire

import "time"

// weather is how often and how much a line goes wrong, packet by packet.
type weather struct {
	lost, twice, late float64       // shares of all packets
	delay, jitter     time.Duration // of each
	lateness          time.Duration // of late ones: others overtake them
}

var (
	// pristine is a line of a good network.
	pristine = weather{delay: time.Millisecond}
	lossy    = weather{
		lost: 0.01, twice: 0.005, late: 0.02, delay: time.Millisecond, jitter: time.Millisecond, lateness: 10 * time.Millisecond,
	}
)
