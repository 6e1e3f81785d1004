package transport

import (
	"bytes"
	"crypto/tls"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// A hook that closes the *tls.Conn ends the connection: the peer reads the end, we read an error.
func TestHookCloses(t *testing.T) {
	onSome(t, isLayer, func(t *testing.T, p *pair) {
		read := make(chan error, 1)
		go func() {
			_, err := p.c.Read(make([]byte, 8))
			read <- err
		}()
		awaitBlocked(t, "transport.(*Conn).Read")
		p.send(t, "word")
		if err := p.c.NetConn().Close(); err != nil {
			t.Error("Close: ", err)
		}
		p.hear(t, "word")
		p.hearEnd(t)
		if err := within(t, "the reader", read); err == nil || TimedOut(err) {
			t.Errorf("the reader got %v", err)
		}
		if n, err := p.c.Read(make([]byte, 8)); n != 0 || err == nil {
			t.Errorf("Read: %d, %v", n, err)
		}
		if _, err := p.c.Send(&Batch{A: []byte("more")}, false); err == nil {
			t.Error("Send succeeds")
		}
		_ = p.wire.SetReadDeadline(time.Now().Add(patience))
		if n, err := io.Copy(io.Discard, p.wire); TimedOut(err) {
			t.Errorf("the connection below is open: %d bytes, %v", n, err)
		}
	})
}

// If a hook closes a socket while nothing is being sent, the peer gets the closing alert, so that it knows that nothing is
// missing.
func TestHookClosesAlert(t *testing.T) {
	onPeers(t, isSocket, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		_ = c.NetConn().Close()
		p.Want("alert 1 0", "no record: EOF")
	})
}

// If a hook closes the connection during a send, the sender gets an error, and the peer reads what it was sent and an end,
// no garbage: a record that was cut is not followed by other bytes.
func TestHookClosesWhileSending(t *testing.T) {
	onPeers(t, func(v variant) bool { return v.split == nil }, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		all := pattern(2 << 20)
		sent := make(chan error, 1)
		go func() {
			_, err := c.Send(&Batch{A: all}, false)
			sent <- err
		}()
		awaitBlocked(t, "transport.(*Conn).Send")
		_ = c.NetConn().Close()
		if err := within(t, "the sender", sent); err == nil || TimedOut(err) && c.WriterWoken() {
			t.Errorf("the sender got %v", err)
		}
		got := []byte(nil)
		for {
			r := p.Next()
			if len(r) > 5 && r[:5] == "data " {
				got = append(got, r[5:]...)
				continue
			}
			if r != "alert 1 0" && r != "no record: EOF" && r != "half a record: EOF" && r != "half a record: unexpected EOF" && !bytes.Contains([]byte(r), []byte("reset")) {
				t.Errorf("after %d bytes the peer reads %q", len(got), r)
			}
			break
		}
		if !bytes.HasPrefix(all, got) {
			t.Error("the peer reads other bytes")
		}
	})
}

// Bytes that are encrypted but not sent, all or in part, are not followed by the alert: the peer would read garbage, where
// it must see that something is missing.
func TestHookClosesBehindUnsent(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		c.WakeWriter()
		if _, err := c.Send(&Batch{A: []byte("word")}, false); !TimedOut(err) || !c.WriterWoken() {
			t.Fatal("Send of a woken writer: ", err)
		}
		_ = c.NetConn().Close()
		if r := p.Next(); r != "no record: EOF" {
			t.Errorf("the peer reads %q", r)
		}
	})
}

// After a hook has called CloseWrite, the closing alert is sent next.
func TestHookEndsOurHalf(t *testing.T) {
	onSome(t, isLayer, func(t *testing.T, p *pair) {
		p.send(t, "word")
		if err := p.c.NetConn().(*tls.Conn).CloseWrite(); err != nil {
			t.Error(err)
		}
		if !p.c.TLSWrote() || !p.c.Unsent() {
			t.Error("TLS is not known to have spoken")
		}
		if _, err := p.c.Send(&Batch{}, false); err != nil || p.c.Unsent() {
			t.Fatal("Send: ", err)
		}
		p.hear(t, "word")
		p.hearEnd(t)
		p.tell(t, "the other half is open")
		p.read(t, "the other half is open")
	})
}

// A deadline on the *tls.Conn is one of the connection.
func TestHookDeadlines(t *testing.T) {
	onSome(t, isLayer, func(t *testing.T, p *pair) {
		tc := p.c.NetConn()
		for _, set := range []func(time.Time) error{tc.SetReadDeadline, tc.SetDeadline} {
			_ = set(time.Now().Add(-time.Second))
			if _, err := p.c.Read(make([]byte, 8)); !TimedOut(err) || p.c.ReaderWoken() {
				t.Errorf("Read: %v", err)
			}
			_ = set(time.Time{})
		}
		for _, set := range []func(time.Time) error{tc.SetWriteDeadline, tc.SetDeadline} {
			_ = set(time.Now().Add(-time.Second))
			b := Batch{A: []byte("word")}
			if _, err := p.c.Send(&b, false); !TimedOut(err) || p.c.WriterWoken() {
				t.Errorf("Send: %v", err)
			}
			_ = set(time.Time{})
			if _, err := p.c.Send(&b, false); err != nil {
				t.Error(err)
			}
			p.hear(t, "word")
		}
		p.tell(t, "still here")
		p.read(t, "still here")
	})
}

// A hook may close the connection while the reader makes TLS send and the sender sends. This is for the race detector.
func TestHookClosesWhileTLSSpeaks(t *testing.T) {
	onPeers(t, func(v variant) bool { return v.split == nil }, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		var all sync.WaitGroup
		all.Go(func() {
			for {
				if _, err := c.Read(make([]byte, 8)); err != nil {
					return
				}
				c.TLSWrote()
			}
		})
		all.Go(func() {
			for {
				if _, err := c.Send(&Batch{A: []byte("word")}, false); err != nil {
					return
				}
				c.Unsent()
			}
		})
		all.Go(func() {
			_, _ = io.Copy(io.Discard, p.Wire)
		})
		for range 20 {
			p.Write(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "x"))
		}
		_ = c.NetConn().Close()
		_ = p.Wire.Close()
		all.Wait()
		all.Go(func() { _ = c.NetConn().Close() })
		c.Close()
		all.Wait()
	})
}
