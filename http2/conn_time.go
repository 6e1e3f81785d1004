package http2

// Deadline returns when Tick must be called, 0 if no timeout is running.
func (c *Conn) Deadline() int64 {
	k := &c.core
	if k.err != nil {
		return 0
	}
	headDue := int64(0)
	if c.work != nil {
		headDue = c.work.recv.headDue
	}
	due := int64(0)
	for _, t := range [...]int64{k.own.due(k.cfg), k.stallDue, k.bye.due, headDue, k.discardDue} {
		if t != 0 && (due == 0 || t < due) {
			due = t
		}
	}
	return due
}

// Tick does what is due at now. It ends a connection whose SETTINGS were not acknowledged in time (SETTINGS_TIMEOUT), or
// whose peer takes too long for a header block or a frame (ENHANCE_YOUR_CALM); the error is like one of Next. It
// continues a Shutdown. It resets streams that have waited too long for a window: each is an EventReset, and the owner
// must call Tick again until Kind is EventNone.
func (c *Conn) Tick(now int64) (ev Event, err error) {
	k := &c.core
	k.now = now
	due := func(t int64) bool { return t != 0 && now >= t && k.err == nil }
	if due(k.own.due(k.cfg)) {
		k.fail(errSettingsTime)
	}
	if c.work != nil && due(c.work.recv.headDue) {
		k.fail(errHeadTime)
	}
	if due(k.bye.due) {
		k.nameLast()
	}
	if due(k.discardDue) {
		k.resetDiscarding()
	}
	if due(k.stallDue) {
		k.resetStalled(&ev)
	}
	if k.err != nil {
		return Event{}, k.err
	}
	return ev, nil
}

// MeasuresRTT reports whether the round trip is being measured: the SETTINGS or the PING that measure it are unanswered, so
// the times passed to the methods of c should be exact.
func (c *Conn) MeasuresRTT() bool { return c.core.rtt.sentAt != 0 || !c.core.own.acked }

// OutputSent tells c at which time the output of the last AppendPending is sent. If that was long after it was produced, a
// round trip would seem longer than it is. It may be left out.
func (c *Conn) OutputSent(now int64) { c.core.rtt.outputSent(now) }

// RTT returns the measured round trip in nanoseconds, 0 if there is none yet.
func (c *Conn) RTT() int64 { return c.core.rtt.rtt }
