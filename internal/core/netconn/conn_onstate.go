package netconn

// reported is what OnState was last told about a connection.
type reported struct {
	last      int8 // the State last reported, plus 1; 0: none
	afterData bool // StayIdle has been called: StateActive is reported after Data, not before
}

// is reports whether the State last reported is s.
func (r reported) is(s State) bool { return r.last == int8(s)+1 }

// setState reports s to OnState if the state has changed.
func (c *Conn) setState(s State) {
	if c.cfg.OnState != nil && !c.reported.is(s) {
		c.reportState(s)
	}
}

func (c *Conn) reportState(s State) {
	c.reported.last = int8(s) + 1
	c.cfg.OnState(c.NetConn(), s)
}
