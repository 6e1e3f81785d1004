package transport

import (
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// What TLS itself has to send, in the middle of a read, is reported once and leaves with the next output.
func TestKeyUpdate(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		arrive(c, append(p.UpdateKeys(false), p.Record(wiretest.DataRecord, "unasked")...))
		wantDecrypted(t, c, "unasked")
		if c.TLSWrote() || c.Unsent() {
			t.Error("TLSWrote is true, but TLS had nothing to send")
		}
		arrive(c, append(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "under other keys")...))
		wantDecrypted(t, c, "under other keys")
		if !c.Unsent() || !c.TLSWrote() || c.TLSWrote() {
			t.Error("TLSWrote must be true once, and Unsent until the output is sent")
		}
		b := Batch{A: []byte("answer")}
		if _, err := c.Send(&b, false); err != nil || c.Unsent() {
			t.Fatalf("Send: %v, unsent %v", err, c.Unsent())
		}
		p.Want("key update", "data answer")
		if c.TLSWrote() {
			t.Error("our own output counted as TLS's")
		}
		// During a read that waits, and sent by itself.
		p.Write(p.UpdateKeys(true), p.UpdateKeys(true), p.Record(wiretest.DataRecord, "again"))
		b5 := make([]byte, 5)
		if n, err := io.ReadFull(reader{c}, b5); string(b5[:n]) != "again" {
			t.Fatalf("read %q, %v", b5[:n], err)
		}
		if !c.TLSWrote() || !c.Unsent() {
			t.Error("TLS is not known to have spoken")
		}
		if _, err := c.TrySend(&Batch{}, NoDescriptor, false); err != nil {
			t.Error("TrySend: ", err)
		}
		if c.Unsent() == c.Socket() {
			t.Errorf("unsent after TrySend: %v", c.Unsent())
		}
		if _, err := c.Send(&Batch{}, true); err != nil || c.Unsent() {
			t.Errorf("Send: %v, unsent %v", err, c.Unsent())
		}
		p.Want("key update", "key update", "alert 1 0")
	})
}

// Records leave in the order in which they were encrypted, also if the reader responds to key updates while the sender
// sends, is stopped and woken. Otherwise the peer could not decrypt them.
func TestKeyUpdateAmidSending(t *testing.T) {
	onPeers(t, func(v variant) bool { return v.split == nil }, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		const rounds, size = 8, 200_000
		all := pattern(rounds * size)
		sent := make(chan error, 1)
		go func() {
			for i := range rounds {
				b := Batch{A: all[i*size : (i+1)*size]}
				for !b.Empty() || c.Unsent() {
					if _, err := c.TrySend(&b, NoDescriptor, false); err != nil {
						sent <- err
						return
					}
					if err := sendWoken(c, &b, false); err != nil {
						sent <- err
						return
					}
				}
			}
			sent <- sendWoken(c, &Batch{}, true)
		}()
		var answers sync.WaitGroup
		answers.Go(func() {
			for range rounds {
				b := make([]byte, 1)
				if _, err := io.ReadFull(reader{c}, b); err != nil {
					t.Error("Read: ", err)
					_ = p.Wire.Close()
					return
				}
				c.TLSWrote()
			}
		})
		updates, got := 0, []byte(nil)
		for i := range rounds {
			p.Write(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "x"))
			for len(got) < (i+1)*size/2 {
				switch r := p.Next(); {
				case r == "key update":
					updates++
				case len(r) > 5 && r[:5] == "data ":
					got = append(got, r[5:]...)
				default:
					t.Fatalf("after %d bytes and %d updates: %.60q", len(got), updates, r)
				}
			}
			c.WakeWriter()
		}
		answers.Wait()
	rest:
		for {
			switch r := p.Next(); {
			case r == "key update":
				updates++
			case r == "alert 1 0":
				break rest
			case len(r) > 5 && r[:5] == "data ":
				got = append(got, r[5:]...)
			default:
				t.Fatalf("after %d bytes and %d updates: %.60q", len(got), updates, r)
			}
		}
		if err := within(t, "the sender", sent); err != nil {
			t.Error("Send: ", err)
		}
		same(t, got, all)
		if updates != rounds {
			t.Errorf("got %d key updates back, want %d", updates, rounds)
		}
	})
}

// sendWoken is Send, repeated when a wake has interrupted it.
func sendWoken(c *Conn, b *Batch, last bool) error {
	for {
		if _, err := c.Send(b, last); err == nil || !TimedOut(err) || !c.WriterWoken() {
			return err
		}
	}
}

// A peer that has not yet read what we send is not taken for deaf: TLS's own output to it comes after that.
func TestKeyUpdateBehindMuch(t *testing.T) {
	onPeers(t, nil, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		all := pattern(4 * maxEncrypted)
		b := Batch{A: all}
		for range 3 { // each time as if the clock looked at the peer
			c.WakeWriter()
			if _, err := c.Send(&b, false); !TimedOut(err) || !c.WriterWoken() {
				t.Fatal("Send of a woken writer: ", err)
			}
		}
		arrive(c, append(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "x")...))
		wantDecrypted(t, c, "x")
		got := make(chan []string, 1)
		go func() {
			var records []string
			for len(records) == 0 || records[len(records)-1] != "alert 1 0" && !strings.HasPrefix(records[len(records)-1], "no record") {
				records = append(records, p.Next())
			}
			got <- records
		}()
		if _, err := c.Send(&b, true); err != nil {
			t.Fatal("Send: ", err)
		}
		var data []byte
		updates := 0
		for _, r := range within(t, "the peer", got) {
			if text, ok := strings.CutPrefix(r, "data "); ok {
				data = append(data, text...)
			} else if r == "key update" {
				updates++
			}
		}
		same(t, data, all)
		if updates != 1 {
			t.Errorf("got %d key updates back", updates)
		}
	})
}

// For a peer that makes TLS send and does not read, a bounded amount is kept, and then the connection fails.
func TestDeafPeer(t *testing.T) {
	onPeers(t, func(v variant) bool { return v.network == "pipe" && v.split == nil && v.tls == server }, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		const answer = 5 + 5 + 1 + 16 // a record with a key update
		for i := range maxOwnOutput/answer + 1 {
			arrive(c, append(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "x")...))
			wantDecrypted(t, c, "x")
			if want := (i + 1) * answer; c.tls.encryptedSize() != want {
				t.Fatalf("%d key updates are %d bytes, want %d", i+1, c.tls.encryptedSize(), want)
			}
		}
		arrive(c, p.UpdateKeys(true))
		wantDecrypted(t, c, "")
		if kept := c.tls.encryptedSize(); kept > maxOwnOutput+answer {
			t.Errorf("%d bytes are kept", kept)
		}
		heard := make(chan int, 1)
		go func() { // it reads after all
			n := 0
			for p.Next() == "key update" {
				n++
			}
			heard <- n
		}()
		if _, err := c.Send(&Batch{A: []byte("word")}, false); err != errPeerNotReading {
			t.Errorf("Send: %v, want errPeerNotReading", err)
		}
		if _, err := c.Send(&Batch{A: []byte("word")}, true); err != errPeerNotReading {
			t.Errorf("Send again: %v, want errPeerNotReading", err)
		}
		if c.Unsent() {
			t.Error("encrypted bytes were not sent")
		}
		_ = c.Below().Close()
		if n := within(t, "the peer", heard); n != maxOwnOutput/answer+1 {
			t.Errorf("the peer got %d key updates, want %d", n, maxOwnOutput/answer+1)
		}
	})
}

// TLS may send its own output during reads while other goroutines send, close and drop what was not sent. This is for the
// race detector.
func TestTLSSpeaksFromTwoSides(t *testing.T) {
	onPeers(t, func(v variant) bool { return v.split == nil }, func(t *testing.T, c *Conn, p *wiretest.TLSPeer) {
		var all sync.WaitGroup
		all.Go(func() { _, _ = io.Copy(io.Discard, p.Wire) })
		began, ended := make(chan struct{}), make(chan struct{})
		all.Go(func() {
			defer close(ended)
			for i := range 300 {
				arrive(c, append(p.UpdateKeys(true), p.Record(wiretest.DataRecord, "x")...))
				if n, err := c.Decrypt(make([]byte, 8)); n != 1 || err != nil {
					t.Errorf("update %d: %d, %v", i, n, err)
					return
				}
				c.TLSWrote()
				if i == 10 {
					close(began)
				}
			}
		})
		within(t, "the first key updates", began)
		for range 50 {
			if _, err := c.Send(&Batch{A: []byte("word")}, false); err != nil {
				t.Error("Send: ", err)
			}
		}
		_ = c.tls.Close()
		c.DropOutput()
		within(t, "the last key updates", ended)
		_ = p.Wire.Close()
		all.Wait()
	})
}
