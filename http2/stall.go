package http2

// stallEnough is what a stream must send within Config.StallTimeout, in bytes, or have nothing to send.
const stallEnough = 4 << 10

// await begins to look at how long a ready stream waits for a window.
func (c *Conn) await(s *Stream) {
	if c.cfg.StallTimeout < 0 {
		return
	}
	s.stallAt, s.stallSent = c.now+c.cfg.StallTimeout, 0
	if c.stallDue == 0 {
		c.stallDue = s.stallAt
	}
}

// progress tells that a stream has sent n bytes.
func (c *Conn) progress(s *Stream, n int) {
	if s.stallSent += int32(n); s.stallSent >= stallEnough && s.has(flagReady) {
		c.await(s)
	}
}

// Deadline returns when Tick is to be called, or 0 if nothing waits for time.
func (c *Conn) Deadline() int64 {
	due := int64(0)
	for _, t := range [...]int64{c.settingsDue, c.stallDue, c.drainDue, c.headDue, c.leftDue} {
		if t != 0 && (due == 0 || t < due) {
			due = t
		}
	}
	return due
}

// Tick does what is due at now: it ends a connection whose SETTINGS were not acknowledged (SETTINGS_TIMEOUT, an error
// as Next's) or whose peer takes too long for a header block or a frame (ENHANCE_YOUR_CALM), goes on with a Shutdown, and resets streams that wait for a window for too long. Each of those is a Reset
// event; the owner calls again until Kind is None.
func (c *Conn) Tick(now int64) (ev Event, err error) {
	c.now = now
	due := func(t int64) bool { return t != 0 && now >= t && c.err == nil }
	if due(c.settingsDue) {
		c.fail(errSettingsTime)
	}
	if due(c.headDue) {
		c.fail(errHeadTime)
	}
	if due(c.drainDue) {
		c.drainLast()
	}
	if due(c.leftDue) {
		c.resetLeft()
	}
	if due(c.stallDue) {
		c.resetStalled(&ev)
	}
	if c.err != nil {
		return Event{}, c.err
	}
	return ev, nil
}

// resetStalled resets a stream that has waited for too long, or finds out when the next one will have.
func (c *Conn) resetStalled(ev *Event) {
	next := int64(0)
	var stalled *Stream
	c.streams.each(func(s *Stream) bool {
		if !s.has(flagReady) {
			return true
		}
		if s.stallAt <= c.now {
			if !s.has(flagQueued) || c.sendWin <= 0 {
				stalled = s
				return false
			}
			c.await(s) // its owner is slow, not the peer
		}
		if next == 0 || s.stallAt < next {
			next = s.stallAt
		}
		return true
	})
	if stalled == nil {
		c.stallDue = next
		return
	}
	c.charge(costReset)
	if c.err == nil && c.sendReset(stalled, errStalled.Code) {
		*ev = Event{Kind: Reset, Stream: stalled, Code: errStalled.Code, Err: errStalled}
	}
}
