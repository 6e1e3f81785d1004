package streamsock_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// Ids are given in the order in which connections were accepted.
func TestOrderOfIDs(t *testing.T) {
	for _, transport := range []string{"tcp", "unix", "ws"} {
		t.Run(transport, func(t *testing.T) {
			s := newSocket(t, streamsock.Config{})
			addr := bind(t, s, at(t, transport))
			for round := range 30 {
				var comers [4]*raw
				for i := range comers {
					comers[i] = dialRaw(t, addr, nil)
				}
				for i, r := range comers {
					r.message(fmt.Sprint(4*round + i + 1))
				}
				for range 2 * len(comers) {
					if m := recv(t, s); m.Kind == streamsock.KindBinary && string(m.Data) != fmt.Sprint(m.Peer.ID()) {
						t.Fatalf("connection %s is peer %d", m.Data, m.Peer.ID())
					}
				}
				for _, r := range comers {
					r.Close()
				}
				for range comers {
					recv(t, s)
				}
			}
		})
	}
}

// Of many connections at the same time, at most MaxPeers become peers.
func TestMaxPeersAtOnce(t *testing.T) {
	refused := make(chan streamsock.Refusal, 100)
	s := newSocket(t, streamsock.Config{MaxPeers: 3, OnRefused: func(r streamsock.Refusal) { refused <- r }})
	addr := strings.Replace(bind(t, s, "ws://127.0.0.1:0"), "ws:", "tcp:", 1)
	var in atomic.Int32
	var wg sync.WaitGroup
	const comers = 20
	for range comers {
		wg.Go(func() {
			switch got := dialRaw(t, addr, nil).upgrade("/"); got {
			case 101:
				in.Add(1)
			case 503:
			default:
				t.Error(got)
			}
		})
	}
	wg.Wait()
	if n := in.Load(); n != 3 {
		t.Errorf("%d were let in", n)
	}
	for range comers - 3 {
		if r := wiretest.Within(t, "a refusal", refused); r.Status != 503 || r.Reason != streamsock.RefusedMaxPeers {
			t.Errorf("got %+v; want Status 503, Reason %v", r, streamsock.RefusedMaxPeers)
		}
	}
	var ids []streamsock.ID
	for range 3 {
		m := recv(t, s)
		if ids = append(ids, m.Peer.ID()); m.Kind != streamsock.EventConnected {
			t.Errorf("got %v, %d; want %v", m.Kind, m.Peer.ID(), streamsock.EventConnected)
		}
	}
	if slices.Sort(ids); len(slices.Compact(ids)) != 3 {
		t.Errorf("connected: %d", ids)
	}
}

// Connections wait for their turn and become peers, and one too many is refused.
func TestAcceptRate(t *testing.T) {
	for _, transport := range []string{"tcp", "ws"} {
		refused := make(chan streamsock.Refusal, 1)
		s := newSocket(t, streamsock.Config{AcceptRate: 50, MaxPeers: 3, OnRefused: func(r streamsock.Refusal) { refused <- r }})
		host := strings.TrimPrefix(bind(t, s, at(t, transport)), transport)
		began := time.Now()
		for i := range 4 {
			if r := dialRaw(t, "tcp"+host, nil); transport == "ws" {
				if got := r.upgrade("/"); (got == 101) != (i < 3) {
					t.Errorf("number %d: %d", i+1, got)
				}
			}
		}
		connects(t, s, 1, 2, 3)
		if r := wiretest.Within(t, "the refusal", refused); r.Reason != streamsock.RefusedMaxPeers {
			t.Errorf("got %+v, want Reason %v", r, streamsock.RefusedMaxPeers)
		}
		if d := time.Since(began); d < 60*time.Millisecond {
			t.Errorf("4 in %v", d)
		}
	}
}

// Shutdown does not wait for connections that wait to be accepted.
func TestAcceptRateEnds(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"tcp", "ws"} {
		s := newSocket(t, streamsock.Config{AcceptRate: 1, Linger: time.Minute})
		host := strings.TrimPrefix(bind(t, s, at(t, transport)), transport)
		for range 5 {
			dialRaw(t, "tcp"+host, nil)
		}
		wiretest.Eventually(t, "the first one", func() bool { return s.Stats().Accepted >= 1 })
		done := make(chan int, 1)
		go func() { done <- unsent(s.Shutdown(context.Background())) }()
		wiretest.Within(t, "Close", done)
	}
}

// named is a socket whose peers give their names in their first message, or by their path.
func named(t *testing.T, cfg streamsock.Config) *streamsock.Socket { return newSocket(t, byName(cfg)) }

// byName is the configuration of such a socket.
func byName(cfg streamsock.Config) streamsock.Config {
	cfg.FirstMessage = true
	cfg.Accept = func(a *streamsock.Arrival) error {
		if a.Key = string(a.First); a.Request != nil {
			a.Key = a.Request.URL.Path
		}
		if a.Key == "nobody" {
			return errors.New("nobody")
		}
		return nil
	}
	return cfg
}

// Of many connections with one key, one after the other is the peer's, and each is reported and ends.
func TestKeyInParallel(t *testing.T) {
	for _, transport := range []string{"tcp", "ws"} {
		t.Run(transport, func(t *testing.T) {
			var live, most atomic.Int32
			var ids sync.Map
			over := make(chan struct{}, 100)
			s := named(t, streamsock.Config{Away: time.Minute, OnMessage: func(m streamsock.Message) {
				ids.Store(m.Peer.ID(), true)
				switch m.Kind {
				case streamsock.EventConnected, streamsock.EventReconnected:
					most.Store(max(most.Load(), live.Add(1)))
				case streamsock.EventDisconnected:
					live.Add(-1)
					over <- struct{}{}
				}
			}})
			addr := bind(t, s, at(t, transport))
			var wg sync.WaitGroup
			const comers = 20
			for range comers {
				wg.Go(func() {
					if r := dialRaw(t, addr, nil); !r.ws {
						r.message("anna")
					}
				})
			}
			wg.Wait()
			for range comers - 1 {
				wiretest.Within(t, "the end of one", over)
			}
			n := 0
			ids.Range(func(any, any) bool { n++; return true })
			peers := s.Peers()
			if most.Load() != 1 || n != 1 || len(peers) != 1 {
				t.Fatalf("%d connections at once, %d ids, %d peers", most.Load(), n, len(peers))
			}
			if err := s.Send(peers[0].ID(), []byte("still")); err != nil { // its id was the first one's to be through, not to come
				t.Error(err)
			}
		})
	}
}

// Queued messages are sent on the connection that replaces the old one.
func TestKeyTakesTheQueue(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"tcp", "tls", "ws", "wss"} {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := named(t, streamsock.Config{TLSConfig: ours, Away: time.Minute, QueueBytes: -1})
			addr := bind(t, s, at(t, transport))
			comes := func() *raw {
				r := dialRaw(t, addr, theirs)
				if !r.ws {
					r.message("anna")
				}
				return r
			}
			first := comes()
			_ = underlying(first).(*net.TCPConn).SetReadBuffer(64 << 10)
			p := wants(t, s, "connected 1")
			p.SetValue("hers")
			for range 40 { // first reads nothing, and the system does not hold that much for it
				if err := p.Send(make([]byte, 1<<20)); err != nil {
					t.Fatal(err)
				}
			}
			if err := p.Send([]byte("waits")); err != nil {
				t.Fatal(err)
			}
			second := comes()
			if got := wants(t, s, "disconnected 1 local", "reconnected 1"); got != p || p.Value() != "hers" || p.Stats().Connections != 2 {
				t.Errorf("another peer, or without its value: got %v, %+v", p.Value(), p.Stats())
			}
			if got := second.rest(1); got[0] != "waits" {
				t.Errorf(`got %.20q, want "waits"`, got)
			}
			second.message("back")
			wants(t, s, "1 back")
			_ = first.SetReadDeadline(time.Now().Add(time.Minute))
			for n, err := 0, error(nil); err == nil; _, err = first.in.Discard(1 << 16) {
				if n++; n > 1000 {
					t.Fatal("the first connection goes on taking messages")
				}
			}
		})
	}
}

// Each absence has its own Config.Away, and a peer that does not come back is gone.
func TestKeyAway(t *testing.T) {
	away := 100 * time.Millisecond
	for !comesBack(t, away) {
		away *= 2
	}
}

// comesBack is TestKeyAway with a patience of away. It reports false if the machine was too busy to come back within that.
func comesBack(t *testing.T, away time.Duration) bool {
	s := named(t, streamsock.Config{Away: away})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	comes := func() *raw {
		r := dialRaw(t, addr, nil)
		r.message("anna")
		return r
	}
	r := comes()
	p := wants(t, s, "connected 1")
	left := time.Now()
	r.Close()
	wants(t, s, "disconnected 1 eof")
	r = comes()
	if m := recv(t, s); m.Kind != streamsock.EventReconnected || m.Peer != p {
		if d := time.Since(left); d < away {
			t.Fatalf("%v %d after %v", m.Kind, m.Peer.ID(), d)
		}
		return false
	}
	wiretest.Eventually(t, "the first patience to end", func() bool { return time.Since(left) > away+away/4 })
	select {
	case <-p.Done():
		t.Fatal("the peer is gone although it has come back")
	default:
	}
	again := time.Now()
	r.Close()
	wants(t, s, "disconnected 1 eof")
	wiretest.Within(t, "the peer to be gone", p.Done())
	if d := time.Since(again); d < away {
		t.Errorf("gone after %v", d)
	}
	comes()
	wants(t, s, "connected 2")
	return true
}

// A connection that cannot replace one whose callback does not return is refused in time.
func TestKeyStuck(t *testing.T) {
	block, refused := make(chan struct{}), make(chan streamsock.Refusal, 1)
	s, _ := streamsock.NewStill(t, byName(streamsock.Config{ // whose clock does not say that the first one is late
		HandshakeTimeout: 50 * time.Millisecond, OnRefused: func(r streamsock.Refusal) { refused <- r },
		OnMessage: func(m streamsock.Message) {
			if m.Kind == streamsock.KindBinary {
				<-block
			}
		},
	}))
	addr := bind(t, s, "tcp://127.0.0.1:0")
	r := dialRaw(t, addr, nil)
	r.message("anna")
	r.message("stuck")
	wiretest.Eventually(t, "the peer", func() bool { return s.Peer(1) != nil && s.Peer(1).Stats().Received == 1 })
	p := s.Peer(1)
	dialRaw(t, addr, nil).message("anna")
	if got := wiretest.Within(t, "the refusal", refused); got.Reason != streamsock.RefusedHandshake {
		t.Errorf("got %+v, want Reason %v", got, streamsock.RefusedHandshake)
	}
	close(block)
	wiretest.Within(t, "the peer to be gone", p.Done())
}

// Accept gets the first message, within HandshakeTimeout, and the program does not get it again.
func TestFirstMessage(t *testing.T) {
	for _, transport := range []string{"tcp", "tls", "unix"} {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			refused := make(chan streamsock.Refusal, 1)
			s, clock := streamsock.NewStill(t, byName(streamsock.Config{TLSConfig: ours, OnRefused: func(r streamsock.Refusal) { refused <- r }}))
			addr := bind(t, s, at(t, transport))
			refuses := func(r *raw, want streamsock.RefusalReason) {
				t.Helper()
				if got := wiretest.Within(t, "the refusal", refused); got.Reason != want {
					t.Errorf("%+v, want %v", got, want)
				}
				if got := r.next(); got != "EOF" && !strings.Contains(got, "reset") {
					t.Errorf("the peer sees %q", got)
				}
			}
			r := dialRaw(t, addr, theirs)
			r.bytes("\x00\x00\x00\x04ann") // and no more
			wiretest.Eventually(t, "its time to be over", func() bool { clock.Advance(time.Second); return len(refused) > 0 })
			refuses(r, streamsock.RefusedHandshake)
			r = dialRaw(t, addr, theirs)
			r.bytes("\xff\xff\xff\xff")
			refuses(r, streamsock.RefusedHandshake)
			r = dialRaw(t, addr, theirs)
			r.message("nobody")
			refuses(r, streamsock.RefusedUnauthorized)
			r = dialRaw(t, addr, theirs)
			for _, b := range "\x00\x00\x00\x04anna\x00\x00\x00\x02hi" {
				r.bytes(string(b))
			}
			wants(t, s, "connected 1", "1 hi")
			if n := len(s.Peers()); n != 1 {
				t.Errorf("%d peers", n)
			}
		})
	}
}

// fresh returns a certificate of its own.
func fresh(t *testing.T) *tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	about := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"localhost"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, about, about, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// Later connections get the new certificate, and existing ones stay.
func TestCertificateReload(t *testing.T) {
	t.Parallel()
	for _, transport := range []string{"tls", "wss"} {
		t.Run(transport, func(t *testing.T) {
			var now atomic.Pointer[tls.Certificate]
			next := func() *x509.CertPool {
				c := fresh(t)
				now.Store(c)
				pool := x509.NewCertPool()
				pool.AddCert(c.Leaf)
				return pool
			}
			s := newSocket(t, streamsock.Config{TLSConfig: &tls.Config{
				GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return now.Load(), nil },
			}})
			addr := bind(t, s, at(t, transport))
			var there []*streamsock.Socket
			for i := range 3 {
				c := newSocket(t, streamsock.Config{DialTLSConfig: &tls.Config{RootCAs: next(), ServerName: "localhost"}})
				if _, err := c.Connect(addr); err != nil {
					t.Fatal(err)
				}
				wants(t, c, "connected 1")
				wants(t, s, fmt.Sprint("connected ", i+1))
				there = append(there, c)
			}
			if n := s.Broadcast([]byte("all")); n != 3 {
				t.Errorf("it goes to %d", n)
			}
			for i, c := range there {
				wants(t, c, "1 all")
				if err := c.Send(1, []byte("here")); err != nil {
					t.Error(err)
				}
				wants(t, s, fmt.Sprintf("%d here", i+1))
			}
		})
	}
}

// Members of a group get the same messages, and may join and leave.
func TestGroups(t *testing.T) {
	s := newSocket(t, streamsock.Config{})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	var rs []*raw
	var ps []*streamsock.Peer
	for i := range 4 {
		rs = append(rs, dialRaw(t, addr, nil))
		ps = append(ps, wants(t, s, fmt.Sprint("connected ", i+1)))
	}
	g := s.Group("room")
	if g.Name() != "room" || g.Len() != 0 || g.Broadcast([]byte("x")) != 0 {
		t.Error("a new group is not empty, or has another name")
	}
	for _, p := range slices.Concat(ps[:3], ps[:1]) { // who is a member already stays one
		if !g.Join(p) {
			t.Error("Join: got false for a peer that is there")
		}
	}
	if n := g.Len(); n != 3 {
		t.Errorf("%d members", n)
	}
	if n := g.Broadcast([]byte("a"), ps[1]); n != 2 {
		t.Errorf("it goes to %d", n)
	}
	g.Leave(ps[0])
	g.Leave(ps[3])
	if n := s.Group("room").Broadcast([]byte("b")); n != 2 || s.Group("other").Len() != 0 {
		t.Errorf("it goes to %d", n)
	}
	rs[2].want("a", "b")
	rs[2].Close()
	wants(t, s, "disconnected 3 eof")
	wiretest.Within(t, "the peer to be gone", ps[2].Done())
	if g.Len() != 1 {
		t.Error("the peer has not left its groups")
	}
	if g.Join(ps[2]) || g.Len() != 1 {
		t.Error("Join: got true for a peer that is gone")
	}
	s.Broadcast([]byte("end"))
	rs[0].want("a", "end")
	rs[1].want("b", "end")
	rs[3].want("end")
}

// parts expects the end of the connection, with this close frame on ws and wss, to which it replies.
func (r *raw) parts(why string) {
	r.t.Helper()
	if r.ws {
		r.want("close " + why)
		r.frame(0x88, "\x03\xe8")
	}
	r.want("EOF")
	r.Close()
}

// A broadcast before Shutdown arrives before the end, on every transport.
func TestDrain(t *testing.T) {
	ours, theirs := certificate(t)
	s := newSocket(t, streamsock.Config{TLSConfig: ours, Linger: time.Minute})
	var rs []*raw
	for i, transport := range transports {
		rs = append(rs, dialRaw(t, bind(t, s, at(t, transport)), theirs))
		wants(t, s, fmt.Sprint("connected ", i+1))
	}
	if n := s.Broadcast([]byte("back in a minute")); n != len(rs) {
		t.Errorf("it goes to %d", n)
	}
	done := make(chan int, 1)
	go func() { done <- unsent(s.Shutdown(context.Background())) }()
	for _, r := range rs {
		r.want("back in a minute")
		r.parts("1001")
	}
	if n := wiretest.Within(t, "Close", done); n != 0 {
		t.Errorf("%d were not delivered", n)
	}
	if _, err := net.DialTimeout("tcp", rs[0].RemoteAddr().String(), time.Second); err == nil {
		t.Error("the socket still listens after Shutdown")
	}
}

// Messages queued for a peer whose connection is being attached are sent although Shutdown comes before.
func TestSentWhileItComes(t *testing.T) {
	ours, theirs := certificate(t)
	for _, transport := range transports {
		comes, goOn := make(chan struct{}), make(chan struct{})
		s := newSocket(t, streamsock.Config{TLSConfig: ours, Linger: time.Minute, OnMessage: func(m streamsock.Message) {
			if m.Kind == streamsock.EventConnected {
				close(comes)
				<-goOn
			}
		}})
		r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
		wiretest.Within(t, "the peer", comes)
		if n := s.Broadcast([]byte("back in a minute")); n != 1 {
			t.Errorf("%s: it goes to %d", transport, n)
		}
		done := make(chan int, 1)
		go func() { done <- unsent(s.Shutdown(context.Background())) }()
		more := 0
		wiretest.Eventually(t, "Close to begin", func() bool {
			n := s.Broadcast(nil)
			more += n
			return n == 0
		})
		close(goOn)
		r.want("back in a minute")
		for range more {
			r.want("")
		}
		r.parts("1001")
		if n := wiretest.Within(t, "Close", done); n != 0 {
			t.Errorf("%s: %d were not delivered", transport, n)
		}
	}
}

// A connection that is being attached ends in the way in which its peer was ended meanwhile.
func TestEndedWhileItComes(t *testing.T) {
	ours, theirs := certificate(t)
	for _, transport := range transports {
		comes, goOn := make(chan *streamsock.Peer), make(chan struct{})
		ended := make(chan *streamsock.End, 1)
		s := newSocket(t, streamsock.Config{TLSConfig: ours, OnMessage: func(m streamsock.Message) {
			switch m.Kind {
			case streamsock.EventConnected:
				comes <- m.Peer
				<-goOn
			case streamsock.EventDisconnected:
				ended <- m.End
			}
		}})
		r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
		p := wiretest.Within(t, "the peer", comes)
		if err := p.Disconnect(4000, "enough"); err != nil {
			t.Error(err)
		}
		if err := p.Disconnect(4001, "again"); err != streamsock.ErrGone {
			t.Errorf("%s: a second time: got %v, want %v", transport, err, streamsock.ErrGone)
		}
		close(goOn)
		r.parts("4000 enough")
		if end := wiretest.Within(t, "the end", ended); end.Reason != streamsock.ReasonLocal || end.Text != "enough" || end.Returns {
			t.Errorf("%s: got %+v", transport, end)
		}
	}
}
