package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// Attach gives the session a connection whose peer has received the given number of bytes of frames. It returns false if
// that number is impossible.
func (o *outflow) Attach(received uint64, now int64) bool {
	b := &o.out
	if received < b.base || received > b.maxSent {
		return false
	}
	o.link.begin(now)
	o.applyAck(received)
	if b.maxSent > received {
		o.stats.Resent += b.maxSent - received
		o.voidUnsure(received)
	}
	if b.sent = received; b.scanned < received {
		o.link.state = linkMidFrame
	}
	o.fill(nil)
	if o.Done() {
		o.Ping() // both sides may be done: then neither would send anything, and neither would know of the other
	}
	return true
}

// Detach takes the connection away. Memory that was lent to it stays unchanged, as it may still be in use.
func (o *outflow) Detach() {
	o.link.state = linkDown
	o.out.release(o.cfg.Memory, true)
	o.fill(nil)
}

// PeerReceived records how many bytes the peer has received, after the last connection of the session.
func (o *outflow) PeerReceived(received uint64) {
	if received >= o.out.base && received <= o.out.maxSent {
		o.applyAck(received)
	}
}

// gotAck acts on an ACK.
func (o *outflow) gotAck(n uint64, now int64) error {
	if n > o.out.sent || n < o.out.base {
		return muxframe.Broken("ACK of what was not sent")
	}
	if n == o.out.base {
		return o.budget.spend(now, 1)
	}
	o.applyAck(n)
	o.fill(nil)
	return nil
}

// applyAck walks over the frames up to offset n, which the peer has received, and releases their memory.
func (o *outflow) applyAck(n uint64) {
	b := &o.out
	b.base = n
	var told *Channel
	for i := 0; b.scanned < n; {
		k := &b.chunks[i]
		p := int(b.scanned - k.at)
		if p >= len(k.b) {
			i++
			continue
		}
		t, f, number, size := muxframe.Measure(k.b[p:])
		if b.scanned+uint64(size) > n {
			break
		}
		b.scanned += uint64(size)
		switch {
		case t == muxframe.Data && f&muxframe.Fin != 0:
			c := o.sending(number)
			if c == nil {
				continue
			}
			c.out.counts.finsAcked++
			if f&muxframe.Void == 0 {
				c.out.counts.acked++
			}
			if told != c {
				if told != nil {
					o.watcher.Acked(told)
				}
				told = c
			}
		case t == muxframe.Open:
			o.opens -= uint32(size)
		case t == muxframe.End || t == muxframe.Reset:
			o.ackEnd(number)
		}
	}
	if told != nil {
		o.watcher.Acked(told)
	}
	b.drop(o.cfg.Memory)
}

// ackEnd notes that the peer has received END or RESET.
func (o *outflow) ackEnd(number uint32) {
	if c := o.outgoing[number]; c != nil {
		if c.state.ours = oursAcked; c.state.over {
			o.forgetOutgoing(c)
		}
	}
}

// voidUnsure marks frames of AtMostOnce channels as VOID that were sent after offset from and may not have arrived.
func (o *outflow) voidUnsure(from uint64) {
	b := &o.out
	var open map[*Channel]bool // channels of which only the first part of a message is void so far
	owned := -1
	for i := 0; i < len(b.chunks); i++ {
		for p := 0; p < len(b.chunks[i].b); {
			k := &b.chunks[i]
			at := k.at + uint64(p)
			t, f, number, size := muxframe.Measure(k.b[p:])
			c := o.outgoing[number]
			if t == muxframe.Data && f&(muxframe.Fin|muxframe.Void) == muxframe.Fin|muxframe.Void {
				delete(open, c) // the message was cancelled
			}
			if t == muxframe.Data && f&muxframe.Void == 0 && c != nil && c.atMostOnce && at >= from && (at < b.maxSent || open[c]) {
				if owned != i {
					b.unshare(o.cfg.Memory, k)
					owned = i
				}
				muxframe.SetVoid(k.b[p:])
				if open == nil {
					open = map[*Channel]bool{}
				}
				if open[c] = f&muxframe.Fin == 0; !open[c] {
					c.out.counts.voided++
					o.watcher.Acked(c)
				}
			}
			p += size
		}
	}
	for c, is := range open {
		if is && c.out.midMessage() {
			o.voidRest(c)
			c.out.counts.voided++
			o.sentWhole(c, c.out.first, nil)
			o.watcher.Acked(c)
		}
	}
}
