package server

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/http2"
	"github.com/shockwave-go/shockwave/internal/join/carrier"
)

var _ carrier.Stream = (*h2Stream)(nil)

// SetTimeouts implements carrier.Writer.
func (m *h2Stream) SetTimeouts(read, write time.Duration) {
	m.conn.Lock()
	defer m.conn.Unlock()
	if read > 0 {
		m.SetReadTimeoutLocked(read)
	}
	if write > 0 {
		m.SetWriteTimeoutLocked(write)
	}
}

// Send implements carrier.Writer.
func (m *h2Stream) Send(head carrier.Section, a, b []byte, trailer carrier.Section, end carrier.End) error {
	m.conn.Lock()
	defer m.conn.Unlock()
	err := m.sendLocked(head, a, b, trailer, end)
	over := err == nil || errors.Is(err, http2.ErrHeadersTooLarge) // which ends the stream, not the connection
	if over && end != carrier.More && (end == carrier.CloseEnd || m.conn.isSpentLocked()) {
		m.conn.shutdownLocked()
	}
	return err
}

func (m *h2Stream) sendLocked(head carrier.Section, a, b []byte, trailer carrier.Section, end carrier.End) error {
	last := end != carrier.More && trailer == nil
	if head != nil {
		m.AwaitRoomLocked()
		if err := m.sendSectionLocked(head, last && len(a)+len(b) == 0); err != nil {
			return err
		}
		m.headSent = true
	}
	if err := m.sendContentLocked(a, b, last); err != nil {
		return err
	}
	if trailer != nil && !m.ended {
		m.AwaitRoomLocked()
		if err := m.sendSectionLocked(trailer, true); err != nil {
			return err
		}
	}
	return nil
}

// sendSectionLocked sends a section.
func (m *h2Stream) sendSectionLocked(s carrier.Section, end bool) error {
	wire, out, err := m.OutLocked()
	if err != nil {
		return err
	}
	out, err = wire.CheckHeaders(s.AppendTo(wire, wire.BeginHeaders(out, m.WireLocked())))
	if err != nil {
		m.SetOutLocked(out, false)
		return err
	}
	m.ended = end
	m.SetOutLocked(wire.EndHeaders(out, end), end)
	return nil
}

// sendContentLocked sends two pieces of the content, a and b, and ends the message after them if end is true, unless it
// has ended. The lock is released while it waits.
func (m *h2Stream) sendContentLocked(a, b []byte, end bool) error {
	if m.ended {
		return nil
	}
	if len(a) > 0 && len(b) > 0 {
		if err := m.Stream.SendLocked(a, false); err != nil {
			return err
		}
		a = nil
	}
	if len(a) == 0 {
		a = b
	}
	if len(a) == 0 && !end {
		return nil
	}
	m.ended = end
	return m.Stream.SendLocked(a, end)
}

// Inform implements carrier.Writer.
func (m *h2Stream) Inform(s carrier.Section, wait bool) error {
	m.conn.Lock()
	defer m.conn.Unlock()
	if m.headSent {
		return nil // in full duplex the response may have begun: this section would be its trailers
	}
	if wait {
		m.AwaitRoomLocked()
	}
	err := m.sendSectionLocked(s, false)
	if err == http2.ErrHeadersTooLarge {
		return nil // the final response does without
	}
	return err
}

// Abort implements carrier.Writer.
func (m *h2Stream) Abort(why carrier.Reason) {
	code := http2.ErrCodeInternal
	switch why {
	case carrier.Cancelled:
		code = http2.ErrCodeCancel // RFC 8441 §5
	case carrier.Broken:
		code = http2.ErrCodeConnect // RFC 9113 §8.5
	}
	m.conn.Lock()
	m.ResetLocked(code)
	m.conn.Unlock()
	m.conn.Draw()
}

// Last implements carrier.Writer.
func (m *h2Stream) Last() {
	m.conn.Lock()
	m.conn.shutdownLocked()
	m.conn.Unlock()
}

// TakeOver implements carrier.Tunnel.
func (m *h2Stream) TakeOver() {
	m.conn.srv.workers.Leave() // as long as the handler runs on, Shutdown does not wait for it
	m.conn.Lock()
	m.conn.taken++
	m.conn.Unlock()
	m.SetReadDeadline(time.Time{})
	m.SetWriteDeadline(time.Time{})
	m.AllowPauses()
	m.AllowStall()
}

// Interrupt implements carrier.Tunnel.
func (m *h2Stream) Interrupt(err error) {
	m.conn.Lock()
	m.Stream.InterruptLocked(err)
	m.conn.Unlock()
}

// Finish implements carrier.Tunnel.
func (m *h2Stream) Finish() {
	k := m.conn
	k.Lock()
	free := m.Stream.FinishLocked(!m.ended)
	k.taken--
	k.Unlock()
	k.Draw()
	if free {
		k.Link().EndWork()
	}
}
