package http2

// applySetting applies one setting of the peer. Unknown settings are ignored (RFC 9113 §6.5.2).
func (k *core) applySetting(id uint16, v uint32) *Error {
	switch id {
	case settingTableSize:
		k.peer.table.set(v)
	case settingPush:
		// RFC 9113 §6.5.2: a client must take any value but 0 from a server for an error.
		if v > 1 || k.client && v != 0 {
			return errSettingPush
		}
	case settingMaxStreams:
		k.peer.MaxStreams, k.peer.limitsStreams = v, true
	case settingWindow:
		return k.applyWindow(v)
	case settingFrameSize:
		if v < minFrameSize || v > maxFrameSize {
			return errSettingFrame
		}
		k.peer.frameSize = v
	case settingListSize:
		k.peer.MaxHeaderList = v
	case settingConnect:
		// RFC 8441 §3: a sender must not send 0 after it has sent 1.
		if v > 1 || v == 0 && k.peer.ConnectProtocol {
			return errSettingConnect
		}
		k.peer.ConnectProtocol = v == 1
	case settingNoLegacy:
		if v > 1 {
			return errSettingLegacy
		}
		if v == 1 {
			k.sched.peerSignals = true
		}
	}
	return nil
}

// applyWindow changes the send windows of all streams (RFC 9113 §6.9.2), which can become negative.
func (k *core) applyWindow(v uint32) *Error {
	if v > maxWindow {
		return errSettingWindow
	}
	delta := int64(v) - int64(k.peer.window)
	if delta == 0 {
		return nil
	}
	k.peer.window = int32(v)
	k.charge(k.streams.n / 16)
	overflow := false
	k.streams.each(func(s *Stream) bool {
		if w := int64(s.send.left) + delta; w <= maxWindow {
			s.send.left = int32(w)
			k.sched.requeue(s)
		} else if !s.phase.closed() {
			overflow = true
		}
		return !overflow
	})
	if overflow {
		return errWindowOverflow
	}
	return nil
}

// acknowledged applies our settings: the peer has received them (RFC 9113 §6.5.3).
func (k *core) acknowledged() {
	k.rtt.sample(k.now - k.own.sentAt)
	k.rtt.next = k.now + rttEvery
	k.own.acked = true
	if k.cfg.InitialWindow >= defaultWindow {
		return
	}
	// Until now the peer may have used the protocol's default window.
	k.streams.each(func(s *Stream) bool {
		s.recv.left -= defaultWindow - int32(k.cfg.InitialWindow)
		return true
	})
}
