package netconn_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// On a socket, Fresh sees whatever arrives, and takes nothing. Elsewhere it sees only what was read.
func TestFreshLooks(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		for range 3 { // after the tickets of TLS, too
			if !c.Fresh() {
				t.Fatal("not fresh")
			}
		}
		talk.Send("hello")
		if k.latched() {
			eventually(t, "Fresh to see the bytes", func() bool { return !c.Fresh() })
		}
		got := make([]byte, 5)
		if _, err := io.ReadFull(c, got); err != nil || string(got) != "hello" {
			t.Fatalf("%q, %v", got, err)
		}
		if !c.Fresh() {
			t.Error("not fresh when all is read")
		}
		talk.Close()
		if k.latched() {
			eventually(t, "Fresh to see the end", func() bool { return !c.Fresh() })
		}
		c.Finish(netconn.ErrDone)
	})
}

// A connection is not fresh while bytes are unread, or when every write fails.
func TestFreshKnows(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "ahead")
		if c.Fresh() {
			t.Error("fresh, with bytes unread")
		}
		c.Take(5)
		if !c.Fresh() {
			t.Error("not fresh")
		}
		c.Abort()
		if c.Fresh() {
			t.Error("fresh after Abort")
		}
		c.Finish(netconn.ErrDone)
		talk.Close()
	})
}

// Data that the tls.Conn has received together with what was asked for counts as input; TLS's own messages do not.
func TestFreshSeesReadAhead(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		if !k.tls || !k.latched() {
			return
		}
		_, wire, peer, c := pulledTLS(t, k)
		peer.Write(peer.Record(wiretest.DataRecord, "hello"), peer.UpdateKeys(false)) // in one segment
		wantInput(t, c, "hello")
		if !c.Fresh() {
			t.Error("not fresh behind a key update")
		}
		peer.Write(peer.Record(wiretest.DataRecord, "hello"), peer.Record(wiretest.DataRecord, "more"))
		wantInput(t, c, "hello")
		if c.Fresh() {
			t.Error("fresh, with a record read ahead")
		}
		wantInput(t, c, "more")
		c.Abort()
		c.Finish(netconn.ErrAbort)
		_ = wire.Close()
	})
}

// Accepted output leaves before our half ends, and the other half can still be read.
func TestCloseWrite(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		c.Hold()
		if _, err := c.Write([]byte("last")); err != nil {
			t.Fatal(err)
		}
		if err := c.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		talk.Want("last")
		talk.WantEOF()
		if _, err := c.Write([]byte("more")); err != net.ErrClosed {
			t.Errorf("Write: %v", err)
		}
		talk.Send("bye")
		if b, err := c.Fill(); string(b) != "bye" || err != nil {
			t.Errorf("Fill: %q, %v", b, err)
		}
		c.Take(3)
		talk.Close()
		if _, err := c.Fill(); err != io.EOF {
			t.Errorf("Fill: %v", err)
		}
		c.Finish(nil)

		c, talk = pulled(t, k, netconn.Config{}, "")
		c.Abort()
		if err := c.CloseWrite(); err != netconn.ErrAbort {
			t.Errorf("CloseWrite after Abort: %v", err)
		}
		c.Finish(netconn.ErrDone)
		talk.Close()
	})
}

// A large unit is accepted although the peer does not read yet, and its memory is the caller's again.
func TestPostTwoNeverWaits(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{MinWriteRate: -1}, "")
		body := []byte(strings.Repeat("b", 3<<20))
		ok, touched, err := c.PostTwo(netconn.Whole, []byte("head"), body)
		if !ok || !touched || err != nil {
			t.Fatal(ok, touched, err)
		}
		clear(body)
		if ok, touched, err = c.PostTwo(netconn.Whole, []byte("next"), nil); !ok || !touched || err != nil {
			t.Fatal(ok, touched, err)
		}
		talk.Want("head" + strings.Repeat("b", len(body)) + "next")
		c.Abort()
		if ok, touched, err = c.PostTwo(netconn.Whole, []byte("more"), nil); ok || touched || err != netconn.ErrAbort {
			t.Error(ok, touched, err)
		}
		c.Finish(netconn.ErrDone)
		talk.Close()
	})
}

// Everything that a peer has sent before it reset the connection can be read, without waiting, even if no goroutine was
// reading when the write failed.
func TestReadBehindFailedWrite(t *testing.T) {
	reads := map[string]func(c *netconn.Pulled) ([]byte, error){
		"Read": func(c *netconn.Pulled) ([]byte, error) { return io.ReadAll(c) },
		"Fill": func(c *netconn.Pulled) (all []byte, err error) {
			for err == nil {
				all = append(all, c.Unread()...)
				c.Take(len(c.Unread()))
				_, err = c.Fill()
			}
			return all, err
		},
	}
	onPulled(t, func(t *testing.T, k kind) {
		if !k.latched() {
			return // the program's own listener does not know it
		}
		for name, read := range reads {
			c, talk := pulled(t, k, netconn.Config{}, "")
			said := strings.Repeat("why", 10_000)
			talk.Send(said)
			var err error
			for err == nil {
				_, err = c.Post(netconn.Whole, make([]byte, 1000))
				talk.Close() // with bytes unread
			}
			if got, err := read(c); string(got) != said {
				t.Errorf("%s: %d bytes of %d, %v", name, len(got), len(said), err)
			}
			c.Finish(netconn.ErrDone)
		}
	})
}

// pulledTLS returns a Pulled over TLS on a socket near, and its peer on wire, which sends single records and no session
// tickets.
func pulledTLS(t *testing.T, k kind) (near, wire net.Conn, peer *wiretest.TLSPeer, c *netconn.Pulled) {
	t.Helper()
	near, wire = connection(t, kind{network: "tcp"})
	var log bytes.Buffer
	cfg := serverTLS().Clone()
	cfg.SessionTicketsDisabled, cfg.KeyLogWriter = true, &log
	client, server := netconn.TLSClient(near, &tls.Config{InsecureSkipVerify: true}), tls.Server(wire, cfg)
	done := make(chan error, 1)
	go func() { done <- server.Handshake() }()
	if err := client.Handshake(); err != nil {
		t.Fatal(err)
	}
	if err := within(t, "the handshake", done); err != nil {
		t.Fatal(err)
	}
	peer = wiretest.NewTLSPeer(t, wire, server, false, log.String())
	e := netconn.New(brief(netconn.Config{Loop: k.loop}))
	t.Cleanup(func() { _ = e.Close() })
	c, err := e.Pull(client, nil, nobody{})
	if err != nil {
		t.Fatal(err)
	}
	return near, wire, peer, c
}
