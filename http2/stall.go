package http2

// stallMinBytes is how many bytes a ready stream must send within Config.StallTimeout.
const stallMinBytes = 4 << 10

// armStall starts the StallTimeout of a ready stream.
func (c *Conn) armStall(s *Stream) {
	if c.cfg.StallTimeout < 0 || s.has(flagPatient) {
		return
	}
	s.stallAt, s.stallSent = c.now+c.cfg.StallTimeout, 0
	if c.stallDue == 0 {
		c.stallDue = s.stallAt
	}
}

// AllowStall exempts s from Config.StallTimeout: its owner decides how long it waits for a window.
func (c *Conn) AllowStall(s *Stream) { s.flags |= flagPatient }

// noteProgress records that a stream has sent n bytes.
func (c *Conn) noteProgress(s *Stream, n int) {
	if s.stallSent += int32(n); s.stallSent >= stallMinBytes && s.has(flagReady) {
		c.armStall(s)
	}
}

// Deadline returns when Tick must be called, 0 if no timeout is running.
func (c *Conn) Deadline() int64 {
	due := int64(0)
	for _, t := range [...]int64{c.settingsDue, c.stallDue, c.drainDue, c.headDue, c.discardDue} {
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
	if due(c.discardDue) {
		c.resetDiscarding()
	}
	if due(c.stallDue) {
		c.resetStalled(&ev)
	}
	if c.err != nil {
		return Event{}, c.err
	}
	return ev, nil
}

// resetStalled resets one stream that has waited too long. If there is none, it sets stallDue to the time of the next
// one.
func (c *Conn) resetStalled(ev *Event) {
	next := int64(0)
	var stalled *Stream
	c.streams.each(func(s *Stream) bool {
		if !s.has(flagReady) || s.has(flagPatient) {
			return true
		}
		if s.stallAt <= c.now {
			if !s.has(flagQueued) || c.sendWin <= 0 {
				stalled = s
				return false
			}
			c.armStall(s) // it has a window: its owner is slow, not the peer
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
	c.charge(costStalled)
	if c.err == nil && c.sendReset(stalled, errStalled.Code) {
		*ev = Event{Kind: EventReset, Stream: stalled, Code: errStalled.Code, Err: errStalled}
	}
}
