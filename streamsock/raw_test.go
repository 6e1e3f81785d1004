package streamsock_test

import (
	"bufio"
	"crypto/tls"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// raw is a peer that sends and receives bytes.
type raw struct {
	net.Conn
	t  testing.TB
	in *bufio.Reader
	ws bool
}

// dialRaw connects to an address, and upgrades where it is one of ws or wss.
func dialRaw(t testing.TB, addr string, cfg *tls.Config, fields ...string) *raw {
	t.Helper()
	transport, host, _ := strings.Cut(addr, "://")
	host, path, _ := strings.Cut(host, "/")
	network := "tcp"
	if transport == "unix" {
		network, host = "unix", "/"+path
	}
	nc, err := net.Dial(network, host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { nc.Close() })
	if transport == "tls" || transport == "wss" {
		cfg = cfg.Clone()
		cfg.ServerName = "example.com"
		tc := tls.Client(nc, cfg)
		if err := tc.Handshake(); err != nil {
			t.Fatal(err)
		}
		nc = tc
	}
	_ = nc.SetDeadline(time.Now().Add(time.Minute))
	r := &raw{Conn: nc, t: t, in: bufio.NewReader(nc), ws: strings.HasPrefix(transport, "ws")}
	if r.ws {
		if got := r.upgrade("/"+path, fields...); got != 101 {
			t.Fatalf("the upgrade got status %d, want 101", got)
		}
	}
	return r
}

// upgrade asks for the upgrade and returns the status.
func (r *raw) upgrade(path string, fields ...string) int {
	r.t.Helper()
	fmt.Fprintf(r, "GET %s HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
		"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n%s\r\n", path, strings.Join(fields, ""))
	resp, err := http.ReadResponse(r.in, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode
}

// message sends a message in the form of the transport.
func (r *raw) message(p string) {
	if r.ws {
		r.frame(0x82, p)
		return
	}
	r.bytes(string(binary.BigEndian.AppendUint32(nil, uint32(len(p)))) + p)
}

// frame sends a frame, masked with a key of zeros.
func (r *raw) frame(first byte, p string) {
	var b []byte
	switch n := len(p); {
	case n < 126:
		b = []byte{first, 0x80 | byte(n)}
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16([]byte{first, 0x80 | 126}, uint16(n))
	default:
		b = binary.BigEndian.AppendUint64([]byte{first, 0x80 | 127}, uint64(n))
	}
	r.bytes(string(b) + "\x00\x00\x00\x00" + p)
}

func (r *raw) bytes(p string) {
	if _, err := io.WriteString(r, p); err != nil {
		r.t.Error(err)
	}
}

// next reads a message, or returns how the connection ends: "EOF", "close 1000 text".
func (r *raw) next() string {
	if !r.ws {
		var head [4]byte
		if _, err := io.ReadFull(r.in, head[:]); err != nil {
			return err.Error()
		}
		p := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(r.in, p); err != nil {
			return err.Error()
		}
		return string(p)
	}
	var head [2]byte
	if _, err := io.ReadFull(r.in, head[:]); err != nil {
		return err.Error()
	}
	size := int(head[1])
	switch size {
	case 126:
		var ext [2]byte
		_, _ = io.ReadFull(r.in, ext[:])
		size = int(binary.BigEndian.Uint16(ext[:]))
	case 127:
		var ext [8]byte
		_, _ = io.ReadFull(r.in, ext[:])
		size = int(binary.BigEndian.Uint64(ext[:]))
	}
	p := make([]byte, size)
	if _, err := io.ReadFull(r.in, p); err != nil {
		return err.Error()
	}
	switch head[0] & 15 {
	case 8:
		if size < 2 {
			return "close"
		}
		return strings.TrimSpace(fmt.Sprintf("close %d %s", binary.BigEndian.Uint16(p), p[2:]))
	case 9:
		return "ping"
	}
	return string(p)
}

// want reads messages and compares them.
func (r *raw) want(all ...string) {
	r.t.Helper()
	for _, want := range all {
		if got := r.next(); got != want {
			r.t.Fatalf("got %.100q, want %.100q", got, want)
		}
	}
}

// isFramed reports whether a transport has close frames.
func isFramed(transport string) bool { return strings.HasPrefix(transport, "ws") }

// Each way in which a connection ends has its reason, after the last whole message.
func TestEnds(t *testing.T) {
	long := streamsock.Config{MaxMessage: 10}
	for _, tc := range []struct {
		name string
		cfg  streamsock.Config
		on   string // the transports, "" for all
		does func(r *raw)
		want string // the End
		sees string // of the peer; "" if it has gone itself
	}{
		{name: "fin", on: "tcp tls unix", does: func(r *raw) { closeWrite(r) }, want: "eof 0 ", sees: "EOF"},
		{name: "fin in a header", on: "tcp tls unix", does: func(r *raw) { r.bytes("\x00\x00"); closeWrite(r) }, want: "truncated 0 ", sees: "EOF"},
		{name: "fin in a message", on: "tcp tls unix", does: func(r *raw) { r.bytes("\x00\x00\x00\x03hi"); closeWrite(r) }, want: "truncated 0 ", sees: "EOF"},
		{name: "close", on: "tcp", does: func(r *raw) { r.Close() }, want: "eof 0 "},
		{name: "reset", on: "tcp", does: func(r *raw) { r.Conn.(*net.TCPConn).SetLinger(0); r.Close() }, want: "reset 0 "},
		{name: "too large", cfg: long, on: "tcp tls unix", does: func(r *raw) { r.bytes("\x00\x00\x00\x0b") }, want: "too-large 0 ", sees: "EOF"},
		{name: "far too large", cfg: long, on: "tcp tls unix", does: func(r *raw) { r.bytes("\xff\xff\xff\xff") }, want: "too-large 0 ", sees: "EOF"},
		{name: "a close frame", on: "ws wss", does: func(r *raw) { r.frame(0x88, "\x0f\xa0bye") }, want: "closed 4000 bye", sees: "close 4000"},
		{name: "a close frame without a code", on: "ws wss", does: func(r *raw) { r.frame(0x88, "") }, want: "closed 1005 ", sees: "close"},
		{name: "fin without a close frame", on: "ws wss", does: func(r *raw) { closeWrite(r) }, want: "truncated 1006 "},
		{name: "too large", cfg: long, on: "ws wss", does: func(r *raw) { r.bytes("\x82\x8b\x00\x00\x00\x00") }, want: "too-large 1009 ", sees: "close 1009"},
		{name: "too large in two frames", cfg: long, on: "ws wss", does: func(r *raw) { r.frame(0x02, "123456"); r.frame(0x80, "123456") }, want: "too-large 1009 ", sees: "close 1009"},
		{name: "text", on: "ws wss", does: func(r *raw) { r.frame(0x81, "hi") }, want: "text 1003 ", sees: "close 1003"},
		{name: "no UTF-8", cfg: streamsock.Config{Text: true}, on: "ws wss", does: func(r *raw) { r.frame(0x81, "\xff") }, want: "protocol 1007 ", sees: "close 1007"},
		{name: "not masked", on: "ws wss", does: func(r *raw) { r.bytes("\x82\x02hi") }, want: "protocol 1002 ", sees: "close 1002"},
		{name: "a reserved bit", on: "ws wss", does: func(r *raw) { r.frame(0xc2, "hi") }, want: "protocol 1002 ", sees: "close 1002"},
		{name: "prefixed, too large", cfg: streamsock.Config{Framing: streamsock.FramingPrefixed, MaxMessage: 10}, on: "ws wss", does: func(r *raw) { r.frame(0x82, "\x00\x00\x00\x0b") }, want: "too-large 1009 ", sees: "close 1009"},
		{name: "prefixed, a close frame in a message", cfg: streamsock.Config{Framing: streamsock.FramingPrefixed}, on: "ws wss", does: func(r *raw) { r.frame(0x82, "\x00\x00\x00\x0b"); r.frame(0x88, "\x03\xe8") }, want: "truncated 1000 ", sees: "close 1000"},
		{name: "idle", cfg: streamsock.Config{IdleTimeout: 50 * time.Millisecond}, on: "tcp tls", does: func(*raw) {}, want: "idle 0 ", sees: "EOF"},
		{name: "idle", cfg: streamsock.Config{IdleTimeout: 50 * time.Millisecond}, on: "ws wss", does: func(*raw) {}, want: "idle 1001 ", sees: "close 1001"},
		{name: "silent", cfg: streamsock.Config{PingInterval: 50 * time.Millisecond}, on: "ws wss", does: func(r *raw) { r.want("ping") }, want: "silent 1006 ", sees: "EOF"},
	} {
		for _, transport := range transports {
			if tc.on != "" && !strings.Contains(" "+tc.on+" ", " "+transport+" ") {
				continue
			}
			t.Run(tc.name+" "+transport, func(t *testing.T) {
				t.Parallel()
				ours, theirs := certificate(t)
				cfg := tc.cfg
				cfg.TLSConfig = ours
				s, clock := streamsock.NewStill(t, cfg)
				r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
				if cfg.Framing == streamsock.FramingPrefixed {
					r.frame(0x82, "\x00\x00\x00\x04last")
				} else {
					r.message("last")
				}
				wants(t, s, "connected 1", "1 last")
				wait := cfg.IdleTimeout + cfg.PingInterval
				clock.Advance(wait - wait/10)
				if wait > 0 && len(s.Peers()) != 1 {
					t.Error("the connection ended before its time")
				}
				stop := time.AfterFunc(0, func() {
					for wait > 0 && len(s.Peers()) == 1 {
						clock.Advance(wait / 10)
						time.Sleep(time.Millisecond)
					}
				}).Stop
				defer stop()
				tc.does(r)
				m := recv(t, s)
				if m.End == nil {
					t.Fatalf("got %v %q", m.Kind, m.Data)
				}
				got := fmt.Sprintf("%v %d %s", m.End.Reason, m.End.Code, m.End.Text)
				if reason, _, _ := strings.Cut(tc.want, " "); !strings.HasPrefix(got, tc.want) || m.End.Returns {
					t.Errorf("got %q, want %q (%s)", got, tc.want, reason)
				}
				if tc.sees != "" {
					if got := r.next(); !strings.HasPrefix(got, tc.sees) {
						t.Errorf("the peer sees %q, want %q", got, tc.sees)
					}
				}
			})
		}
	}
}

// closeWrite ends our half.
func closeWrite(r *raw) {
	if c, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		_ = c.CloseWrite()
	}
}

// Disconnect sends what is queued, and the peer gets the code and the reason.
func TestDisconnect(t *testing.T) {
	for _, transport := range transports {
		t.Run(transport, func(t *testing.T) {
			ours, theirs := certificate(t)
			s := newSocket(t, streamsock.Config{TLSConfig: ours, Linger: time.Minute})
			r := dialRaw(t, bind(t, s, at(t, transport)), theirs)
			p := wants(t, s, "connected 1")
			big := strings.Repeat("x", 3<<20)
			for _, msg := range []string{"a", big, "b", ""} {
				if err := p.Send([]byte(msg)); err != nil {
					t.Fatal(err)
				}
			}
			if err := s.Disconnect(1, 4001, "enough"); err != nil {
				t.Fatal(err)
			}
			if err := p.Send(nil); err != streamsock.ErrGone {
				t.Errorf("after Disconnect: got %v, want %v", err, streamsock.ErrGone)
			}
			r.want("a", big, "b", "")
			if isFramed(transport) {
				r.want("close 4001 enough")
				r.frame(0x88, "\x0f\xa1")
			}
			r.want("EOF")
			r.Close()
			wants(t, s, "disconnected 1 local")
			if err := s.Disconnect(1, 0, ""); err != streamsock.ErrGone {
				t.Errorf("got %v, want %v", err, streamsock.ErrGone)
			}
			if err := s.Disconnect(2, 0, ""); err != streamsock.ErrNoPeer {
				t.Errorf("got %v, want %v", err, streamsock.ErrNoPeer)
			}
		})
	}
}

// A reset is reported as one, also if a writer notices it first.
func TestResetWhileSending(t *testing.T) {
	for _, transport := range []string{"tcp", "ws"} {
		for _, tc := range []struct {
			name string
			size int // of a message
			wait func(p streamsock.PeerStats) bool
		}{
			{"under way", 1, func(p streamsock.PeerStats) bool { return p.Sent > 10 }},
			{"stuck", 100_000, func(p streamsock.PeerStats) bool { return p.Dropped > 10 }},
		} {
			t.Run(transport+"/"+tc.name, func(t *testing.T) {
				for range 30 {
					s := newSocket(t, streamsock.Config{Slow: streamsock.DropOldest})
					r := dialRaw(t, bind(t, s, at(t, transport)), nil)
					p := wants(t, s, "connected 1")
					var enough atomic.Bool // nobody is about to send, if nobody can
					var wg sync.WaitGroup
					wg.Go(func() {
						for b := make([]byte, tc.size); p.Send(b) == nil && (tc.size == 1 || !enough.Load()); {
						}
					})
					wiretest.Eventually(t, "something to be sent", func() bool { return tc.wait(p.Stats()) })
					if enough.Store(true); tc.size > 1 {
						wg.Wait()
					}
					_ = r.Conn.(*net.TCPConn).SetLinger(0)
					r.Close()
					wants(t, s, "disconnected 1 reset")
					wg.Wait()
				}
			})
		}
	}
}
