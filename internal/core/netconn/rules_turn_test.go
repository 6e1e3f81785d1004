package netconn

import "testing"

// The runs of Data since a wait began count as a message if one of them did not call StayIdle.
func TestTurn(t *testing.T) {
	run := func(of *turn, stays bool) {
		of.runBegins()
		if stays {
			of.stayIdle()
		}
		of.runEnds()
	}
	for name, c := range map[string]struct {
		stays  []bool // one for each run: whether it calls StayIdle
		want   turn
		stayed bool
		idle   bool // a new wait begins
	}{
		"none":               {nil, noMessage, false, false},
		"a message":          {[]bool{false}, inMessage, false, true},
		"a ping":             {[]bool{true}, onlyStayed, true, false},
		"pings":              {[]bool{true, true}, onlyStayed, true, false},
		"a ping, a message":  {[]bool{true, false}, inMessage, false, true},
		"a message, a ping":  {[]bool{false, true}, stayedAfterMessage, true, true},
		"a ping in messages": {[]bool{false, true, false}, inMessage, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			var of turn
			for _, stays := range c.stays {
				run(&of, stays)
			}
			if of != c.want || of.stayed() != c.stayed {
				t.Errorf("in state %d, stayed %v; want %d, %v", of, of.stayed(), c.want, c.stayed)
			}
			if idle := of.waitBegins(); idle != c.idle {
				t.Errorf("a new wait begins: %v, want %v", idle, c.idle)
			}
			if c.idle && of != noMessage {
				t.Errorf("in state %d after the wait has begun", of)
			}
		})
	}
}
