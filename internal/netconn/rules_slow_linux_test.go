package netconn

import "testing"

// TestPostTellsOfSlowPeers: a unit has failed if its peer is found to be too slow when the rest of the unit would be left to
// the lot.
func TestPostTellsOfSlowPeers(t *testing.T) {
	const much = 16 << 20 // more than the kernel takes
	for name, post := range map[string]func(c *Pulled, p []byte) (bool, error){
		"Post": func(c *Pulled, p []byte) (bool, error) { return c.Post(Whole, p) },
		"PostTwo": func(c *Pulled, p []byte) (bool, error) {
			ok, touched, err := c.PostTwo(Whole, nil, p)
			if !touched {
				t.Error("PostTwo sent nothing")
			}
			return ok, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := pulledSocket(t)
			c.SetWriteBuffer(2 * much)
			grace := int64(c.eng.cfg.RateGrace) // a span ends in which the peer has taken nothing
			c.ensureStall().account = writeAccount{waited: 2 * grace, span: grace, taken: 1 << 40}
			if ok, err := post(c, make([]byte, much)); ok || err != ErrSlow || c.WriteError() != ErrSlow {
				t.Errorf("%v, %v, and then writing fails with %v", ok, err, c.WriteError())
			}
		})
	}
}
