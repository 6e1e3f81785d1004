package muxsession

// HasOutput reports whether Lend has something to send.
func (o *outflow) HasOutput() bool {
	return o.Connected() && !o.Ended() && (o.out.unsent() > 0 || o.due != 0)
}

// maxCopied is the most bytes that Lend copies to dst, so that they are sent together with the control frames.
const maxCopied = 4 << 10

// Lend appends the next output to dst and to data: first what is to be sent from dst, then slices of the outbox, about most
// bytes in all and no more slices than data has room for. The slices stay unchanged until the next call of Lend, which tells
// the session that they have been sent. more reports whether Lend must be called again.
func (o *outflow) Lend(dst []byte, data [][]byte, most int) (_ []byte, _ [][]byte, more bool) {
	if !o.Connected() || o.Ended() {
		return dst, data, false
	}
	o.out.release(o.cfg.Memory, false)
	if o.waitingSends > 0 {
		o.fill(nil)
	}
	midFrame := o.link.state == linkMidFrame
	if o.link.state = linkUp; !midFrame {
		var pinged bool
		if dst, pinged = o.appendControl(dst, o.out.unsent() > 0); pinged {
			o.pingSentAt = o.watcher.Exact()
		}
	}
	small := o.out.unsent() <= maxCopied
	if data = o.out.lend(data, most); len(data) == 0 {
		return dst, data, false
	}
	if small {
		for _, p := range data {
			dst = append(dst, p...)
		}
		o.out.release(o.cfg.Memory, false)
		return dst, data[:0], midFrame || o.out.unsent() > 0
	}
	return dst, data, true
}
