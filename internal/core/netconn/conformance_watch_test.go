package netconn_test

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/clock"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
)

// tell returns a function for Watch and the like, and a channel that gets its calls.
func tell() (f func(), calls chan struct{}) {
	calls = make(chan struct{}, 100)
	return func() { calls <- struct{}{} }, calls
}

// wantInput expects that s is what arrives next and takes it.
func wantInput(t *testing.T, c *netconn.Pulled, s string) {
	t.Helper()
	defer time.AfterFunc(patience, c.Abort).Stop()
	got := string(c.Unread())
	for len(got) < len(s) {
		b, err := c.Fill()
		if err != nil {
			t.Fatalf("got %q, want %q: %v", got, s, err)
		}
		got = string(b)
	}
	if got != s {
		t.Fatalf("got %q, want %q", got, s)
	}
	c.Take(len(s))
}

// Everything that makes an idle connection useless is reported once, and the connection can be read afterwards: what has
// arrived is there.
func TestWatch(t *testing.T) {
	for name, tc := range map[string]struct {
		happens func(c *netconn.Pulled, talk *wiretest.Talk, clk *clock.Clock)
		d       time.Duration
		input   string
		want    func(err error) bool // of the Fill that follows
	}{
		"bytes": {func(_ *netconn.Pulled, talk *wiretest.Talk, _ *clock.Clock) { talk.Send("unasked"); talk.HalfClose() },
			0, "unasked", func(err error) bool { return err == io.EOF }},
		"end": {func(_ *netconn.Pulled, talk *wiretest.Talk, _ *clock.Clock) { talk.HalfClose() },
			time.Minute, "", func(err error) bool { return err == io.EOF }},
		"reset": {func(_ *netconn.Pulled, talk *wiretest.Talk, _ *clock.Clock) { talk.Reset() },
			0, "", func(err error) bool { return err != nil }},
		"time": {func(_ *netconn.Pulled, talk *wiretest.Talk, clk *clock.Clock) {
			clk.Advance(time.Second)
			talk.Send("late")
		}, time.Second, "late", nil},
		"abort": {func(c *netconn.Pulled, _ *wiretest.Talk, _ *clock.Clock) { c.Abort() },
			0, "", func(err error) bool { return err == netconn.ErrAbort }},
	} {
		t.Run(name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, k kind) {
				clk := clock.NewManual()
				c, talk := pulled(t, k, netconn.Config{Clock: clk}, "")
				f, told := tell()
				stop := c.Watch(tc.d, f)
				tc.happens(c, talk, clk)
				within(t, "f to be called", told)
				if stop() {
					t.Error("stop says that it prevented the call")
				}
				wantInput(t, c, tc.input)
				if tc.want != nil {
					if _, err := c.Fill(); !tc.want(err) {
						t.Errorf("Fill: %v", err)
					}
				}
				clk.Advance(2 * time.Minute)
				c.Abort()
				c.Finish(netconn.ErrAbort)
				if len(told) > 0 {
					t.Error("f was called twice")
				}
			})
		})
	}
}

// If a connection is already useless when Watch is called, this is reported at once.
func TestWatchOfTheUseless(t *testing.T) {
	for name, useless := range map[string]func(c *netconn.Pulled, talk *wiretest.Talk){
		"bytes": func(_ *netconn.Pulled, talk *wiretest.Talk) { talk.Send("x") },
		"end":   func(_ *netconn.Pulled, talk *wiretest.Talk) { talk.HalfClose() },
		"reset": func(_ *netconn.Pulled, talk *wiretest.Talk) { talk.Reset() },
		"write": func(c *netconn.Pulled, _ *wiretest.Talk) { c.Abort() },
	} {
		t.Run(name, func(t *testing.T) {
			onPulled(t, func(t *testing.T, k kind) {
				c, talk := pulled(t, k, netconn.Config{}, "")
				useless(c, talk)
				f, told := tell()
				stop := c.Watch(0, f)
				within(t, "f to be called", told)
				if stop() {
					t.Error("stop says that it prevented the call")
				}
				c.Finish(netconn.ErrAbort)
			})
		})
	}
}

// A watch that was stopped does not call its function, and no input is lost, however often this is repeated.
func TestWatchStopped(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		c, talk := pulled(t, k, netconn.Config{Clock: clk}, "")
		f, told := tell()
		for range 20 {
			stop := c.Watch(time.Second, f)
			clk.Advance(time.Second / 2)
			if !stop() {
				t.Fatal("stop reports false although nothing has happened")
			}
			if stop() {
				t.Fatal("a second stop reports true")
			}
			clk.Advance(time.Second)
			talk.Send("hello")
			wantInput(t, c, "hello")
			if _, err := c.Write([]byte("answer")); err != nil {
				t.Fatal(err)
			}
			talk.Want("answer")
		}
		talk.HalfClose()
		if _, err := c.Fill(); err != io.EOF {
			t.Errorf("at the end: %v", err)
		}
		if len(told) > 0 {
			t.Error("f was called after stop")
		}
		c.Finish(netconn.ErrAbort)
	})
}

// A watched connection may be written to, and a write that fails is reported.
func TestWatchWrites(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		f, told := tell()
		stop := c.Watch(0, f)
		for range 3 {
			if _, err := c.Write([]byte("hello")); err != nil {
				t.Fatal(err)
			}
			talk.Want("hello")
		}
		if len(told) > 0 || !stop() {
			t.Error("f was called for our own writes")
		}
		stop = c.Watch(0, f)
		_ = c.SetWriteDeadline(time.Unix(1, 0))
		if _, err := c.Write([]byte("late")); err == nil {
			t.Error("Write after its deadline succeeded")
		}
		within(t, "f to be called", told)
		stop()
		c.Finish(netconn.ErrAbort)
	})
}

// Shutdown calls Drain for a watched connection, whose owner may stop the watch and end it.
func TestWatchedDrain(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		r := newRig(t, k)
		r.eng = netconn.New(brief(netconn.Config{Loop: k.loop}))
		near, far := connection(t, k)
		who := leaver{make(chan struct{}, 1)}
		c, err := r.eng.Pull(near, nil, who)
		if err != nil {
			t.Fatal(err)
		}
		f, told := tell()
		stop := c.Watch(0, f)
		ended := make(chan error, 1)
		go func() { ended <- r.shutdown() }()
		within(t, "Drain", who.told)
		if !stop() {
			t.Error("stop reports false although nothing has happened")
		}
		go c.Finish(netconn.ErrShutdown)
		if _, err := readAll(far, 1); err != io.EOF {
			t.Errorf("the peer got %v", err)
		}
		_ = far.Close()
		if err := within(t, "Shutdown", ended); err != nil {
			t.Errorf("Shutdown: %v", err)
		}
		if len(told) > 0 {
			t.Error("f was called after stop")
		}
	})
}

// gated is a connection whose Read waits for open after the first Write.
type gated struct {
	net.Conn
	shut atomic.Bool
	open chan struct{}
}

func (g *gated) Read(p []byte) (int, error) {
	if g.shut.Load() {
		<-g.open
	}
	return g.Conn.Read(p)
}

func (g *gated) Write(p []byte) (int, error) {
	g.shut.Store(true) // after our flight of the handshake Read waits
	return g.Conn.Write(p)
}

// TLS's own messages do not end a watch: session tickets that arrive are not reported, bytes behind them are.
func TestWatchIgnoresTickets(t *testing.T) {
	onSome(t, isTLS, func(t *testing.T, k kind) {
		near, far := connection(t, kind{network: "tcp"})
		cache := tls.NewLRUClientSessionCache(1)
		client := netconn.TLSClient(near, &tls.Config{InsecureSkipVerify: true, ServerName: "localhost", ClientSessionCache: cache})
		gate := &gated{Conn: far, open: make(chan struct{})}
		cfg := serverTLS().Clone()
		cfg.ClientAuth = tls.RequestClientCert // the tickets come behind the client's last flight
		server := tls.Server(gate, cfg)
		done := make(chan error, 1)
		go func() { done <- server.HandshakeContext(context.Background()) }()
		if err := client.HandshakeContext(context.Background()); err != nil {
			t.Fatal(err)
		}
		e := netconn.New(brief(netconn.Config{Loop: k.loop}))
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(client, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		f, told := tell()
		stop := c.Watch(0, f)
		before := e.Stats().BytesIn
		close(gate.open)
		if err := within(t, "the handshake", done); err != nil {
			t.Fatal(err)
		}
		if k.latched() {
			eventually(t, "the tickets", func() bool { return e.Stats().BytesIn > before })
		}
		eventually(t, "the session to be kept", func() bool { s, _ := cache.Get("localhost"); return s != nil })
		if len(told) > 0 {
			t.Error("f was called for session tickets")
		}
		talk := wiretest.NewTalk(t, server)
		if k.latched() { // stop and a second watch
			if !stop() {
				t.Error("stop reports false")
			}
			stop = c.Watch(0, f)
			eventually(t, "no buffer to be leased", func() bool { return !netconn.HoldsInput(c) })
		}
		talk.Send("hello")
		within(t, "f to be called", told)
		stop()
		wantInput(t, c, "hello")
		_, _ = c.Write([]byte("answer"))
		talk.Want("answer")
		c.Abort()
		c.Finish(netconn.ErrAbort)
		_ = far.Close()
	})
}

// Messages that TLS itself has to send while a connection is watched leave at once where the lot watches. Elsewhere they
// leave when it is watched again, or with the next output (RFC 8446 §4.6.3 asks for no more). They are not reported.
func TestWatchAnswersKeyUpdates(t *testing.T) {
	onSome(t, func(k kind) bool { return k.tls && !k.foreign }, func(t *testing.T, k kind) {
		near, wire := connection(t, kind{network: "tcp"})
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
		peer := wiretest.NewTLSPeer(t, wire, server, false, log.String())
		peer.Timeout = patience
		e := netconn.New(brief(netconn.Config{Loop: k.loop}))
		t.Cleanup(func() { _ = e.Close() })
		c, err := e.Pull(client, nil, nobody{})
		if err != nil {
			t.Fatal(err)
		}
		f, told := tell()
		stop := c.Watch(0, f)
		peer.Write(peer.UpdateKeys(true))
		if k.latched() {
			peer.Want("key update")
		}
		// Read ahead together with a message, the update is found by the next Watch.
		peer.Write(peer.Record(wiretest.DataRecord, "hello"), peer.UpdateKeys(true))
		within(t, "f to be called", told)
		stop()
		wantInput(t, c, "hello")
		stop = c.Watch(0, f)
		if !k.latched() {
			peer.Want("key update")
		}
		peer.Want("key update")
		if len(told) > 0 {
			t.Error("f was called for output of TLS itself")
		}
		if _, err := c.Write([]byte("answer")); err != nil {
			t.Error(err)
		}
		peer.Want("data answer")
		if !stop() {
			t.Error("stop reports false although nothing has happened")
		}
		c.Finish(netconn.ErrAbort)
		_ = wire.Close()
	})
}

// A record that came together with the last one, and that the tls.Conn has already read, is reported.
func TestWatchReadAhead(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		talk.Send("answer")
		talk.Send("unasked")
		for len(c.Unread()) < len("answer") {
			if _, err := c.Fill(); err != nil {
				t.Fatal(err)
			}
		}
		c.Take(len("answer"))
		if len(c.Unread()) > 0 {
			c.Take(len("unasked")) // without TLS it came with the first
			talk.Send("unasked")
		}
		f, told := tell()
		stop := c.Watch(0, f)
		within(t, "f to be called", told)
		stop()
		wantInput(t, c, "unasked")
		c.Abort()
		c.Finish(netconn.ErrAbort)
	})
}

// Watched connections cost no goroutine and hold no buffer, and each reports its own input.
func TestManyWatched(t *testing.T) {
	onSome(t, func(k kind) bool { return k.latched() && k.network == "tcp" }, func(t *testing.T, k kind) {
		count := min(manyConnections(t), 1000)
		if k.tls {
			count = min(count, 100) // handshakes
		}
		e := netconn.New(brief(netconn.Config{Loop: k.loop}))
		var err error
		conns, peers := make([]*netconn.Pulled, count), make([]net.Conn, count)
		told := make(chan int, 2*count)
		for i := range conns {
			near, far := connection(t, k)
			if conns[i], err = e.Pull(near, nil, nobody{}); err != nil {
				t.Fatal(err)
			}
			peers[i] = far
			// A used connection behaves the same.
			if i%2 == 0 {
				_, _ = io.WriteString(far, "hello")
				wantInput(t, conns[i], "hello")
				_, _ = conns[i].Write([]byte("answer"))
			}
		}
		before := goroutines()
		stops := make([]func() bool, count)
		for i, c := range conns {
			stops[i] = c.Watch(time.Hour, func() { told <- i })
		}
		if now := goroutines(); now > before+5 { // the goroutines of the lot and of the clock
			t.Errorf("%d goroutines for %d watched connections", now-before, count)
		}
		for i, c := range conns {
			if netconn.HoldsInput(c) {
				t.Fatalf("connection %d holds a buffer while it is watched", i)
			}
		}
		for _, i := range rand.Perm(count) {
			switch i % 4 {
			case 0:
				_, _ = io.WriteString(peers[i], "unasked")
			case 1:
				_ = peers[i].Close()
			case 2:
				conns[i].Abort()
			case 3:
				if !stops[i]() {
					t.Errorf("the function of connection %d was called without input", i)
				}
				told <- i
			}
		}
		seen := map[int]bool{}
		for range count {
			i := within(t, "all functions to be called", told)
			if seen[i] {
				t.Fatalf("the function of connection %d was called twice", i)
			}
			seen[i] = true
		}
		var all sync.WaitGroup
		for i, c := range conns {
			all.Go(func() {
				if i%4 == 0 {
					wantInput(t, c, "unasked")
				}
				c.Abort()
				c.Finish(netconn.ErrAbort)
				_ = transport(peers[i]).(*net.TCPConn).SetLinger(0)
				_ = transport(peers[i]).Close()
			})
		}
		all.Wait()
		_ = e.Close()
		eventually(t, "all connections to end", func() bool { return e.Stats().Open == 0 })
	})
}

// Bytes come, or do not, while watches begin and are stopped. No byte is lost, a watch that was stopped in time does not
// call its function, and none reports bytes that were read before.
func TestWatchStorm(t *testing.T) {
	const rounds = 1500
	onPulled(t, func(t *testing.T, k kind) {
		c, talk := pulled(t, k, netconn.Config{}, "")
		rng := rand.New(rand.NewPCG(1, 2))
		send, sent := make(chan byte), make(chan error)
		go func() {
			for b := range send {
				_, err := talk.Conn.Write([]byte{b})
				sent <- err
			}
		}()
		defer close(send)
		defer time.AfterFunc(2*patience, c.Abort).Stop()
		late := 0
		for n := range rounds {
			b := byte(n)
			f, told := tell()
			stop := c.Watch(time.Duration(rng.IntN(2))*time.Hour, f)
			send <- b
			for range rng.IntN(4) {
				time.Sleep(time.Duration(rng.IntN(30)) * time.Microsecond)
			}
			if n%2 == 0 {
				<-sent
			}
			if !stop() {
				within(t, "f to be called", told)
			}
			if n%2 == 1 {
				<-sent
			}
			for len(c.Unread()) == 0 {
				if _, err := c.Fill(); err != nil {
					t.Fatalf("round %d: %v", n, err)
				}
			}
			if got := c.Unread(); len(got) != 1 || got[0] != b {
				t.Fatalf("round %d: got %q, want %q", n, got, b)
			}
			c.Take(1)
			if len(told) > 0 {
				t.Fatalf("round %d: f was called after stop, or twice", n)
			}
			stop = c.Watch(0, f)
			if n%8 == 0 {
				time.Sleep(100 * time.Microsecond)
			}
			if !stop() {
				within(t, "f to be called", told)
				late++
			}
		}
		if late > 0 {
			t.Errorf("f was called %d times in %d rounds for bytes that had been read before", late, rounds)
		}
		talk.Close()
		if _, err := c.Fill(); err == nil || err == netconn.ErrAbort {
			t.Errorf("at the end: %v", err)
		}
		c.Finish(netconn.ErrAbort)
	})
}

// A watch whose time ends while Watch still runs calls its function.
func TestWatchShort(t *testing.T) {
	onPulled(t, func(t *testing.T, k kind) {
		clk := clock.NewManual()
		c, talk := pulled(t, k, netconn.Config{Clock: clk}, "")
		for range 50 {
			f, told := tell()
			begun := make(chan struct{})
			var all sync.WaitGroup
			all.Go(func() {
				<-begun
				clk.Advance(2 * time.Second)
			})
			close(begun)
			c.Watch(time.Nanosecond, f)
			all.Wait()
			clk.Advance(2 * time.Second)
			within(t, "f to be called", told)
		}
		talk.Send("the read to go on")
		wantInput(t, c, "the read to go on")
		c.Finish(netconn.ErrAbort)
	})
}

// TLS's own output while a connection is watched may have to wait for room. Neither the lot nor the goroutine that stops
// the watch waits for it.
func TestWatchAnswersIntoAFullSocket(t *testing.T) {
	onSome(t, func(k kind) bool { return k.tls && k.latched() }, func(t *testing.T, k kind) {
		near, wire, peer, c := pulledTLS(t, k)
		// The peer reads nothing, so it does not matter what fills the socket.
		_ = near.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
		for err := error(nil); err == nil; {
			_, err = near.Write(make([]byte, 4<<10))
		}
		_ = near.SetWriteDeadline(time.Time{})
		f, told := tell()
		stop := c.Watch(0, f)
		peer.Write(peer.UpdateKeys(true))
		eventually(t, "the response to wait for room", func() bool { return netconn.WriterWaits(&c.Link) })
		peer.Write(peer.Record(wiretest.DataRecord, "hello"))
		within(t, "f to be called", told)
		stop()
		c.Finish(netconn.ErrAbort)
		_ = wire.Close()
	})
}

// Where no lot watches, a deadline that a program sets on the connection itself ends the watch: nothing can wait for the
// peer any more.
func TestWatchUnderAForeignDeadline(t *testing.T) {
	onSome(t, func(k kind) bool { return isPulled(k) && !k.latched() && !k.tls }, func(t *testing.T, k kind) {
		c, _ := pulled(t, k, netconn.Config{}, "")
		f, told := tell()
		stop := c.Watch(0, f)
		if err := c.NetConn().SetReadDeadline(time.Unix(1, 0)); err != nil {
			t.Fatal(err)
		}
		within(t, "f to be called", told)
		stop()
		c.Finish(netconn.ErrAbort)
	})
}
