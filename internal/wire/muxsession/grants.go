package muxsession

// grants are the channels of a session whose messages arrive in pieces, and what they may have past the session's window.
type grants struct {
	grantable lane  // channels whose current message may be given a GRANT
	awaited   lane  // those of them for whose message a reader waits
	granted   int64 // what is left of all GRANTs
	extra     int   // how much the windows of channels have grown in all
	partials  int32 // how many messages are incomplete now
}

// sort puts c among the channels that may be given a GRANT, or takes it from there. A message behind a complete one needs
// none: room is made when that one is taken.
func (g *grants) sort(c *Channel) {
	in := &c.in
	can := in.partial.phase == partialKept && !c.state.stopped && !in.partial.hasGrant && !c.Ready()
	g.grantable.put(c, &in.grantable, can && !in.awaited)
	g.awaited.put(c, &in.grantableFirst, can && in.awaited)
}

// any reports whether there is a channel that may be given a GRANT.
func (g *grants) any() bool { return g.grantable.used+g.awaited.used > 0 }

// end ends the GRANT for the current message of a channel, if there is one.
func (g *grants) end(in *receiver) {
	if p := &in.partial; p.hasGrant {
		g.granted -= int64(p.granted)
		p.granted, p.hasGrant = 0, false
	}
}
