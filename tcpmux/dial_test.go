package tcpmux

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/wire/muxframe"
	"github.com/shockwave-go/shockwave/tcpmux/internal/secret"
)

// piped returns a dialler whose connections are pipes; their other ends are passed to peer, one after the other.
func piped(t *testing.T, cfg Config, peer func(nc net.Conn)) *dialler {
	cfg.NetDial = func(context.Context, string, string) (net.Conn, error) {
		near, far := net.Pipe()
		t.Cleanup(func() { far.Close() })
		far.SetDeadline(time.Now().Add(20 * time.Second))
		go peer(far)
		return near, nil
	}
	return &dialler{cfg: cfg.settings(), to: address{host: "peer", port: "1"}}
}

// reads reads the greetings that the dialler sends first, of the given size.
func reads(nc net.Conn, size int) { _, _ = io.ReadFull(nc, make([]byte, size)) }

// The sizes of what a dialler says.
const (
	sizeHello  = 8 + 3 + 1 + 4 + 32 + 24 + 4
	sizeResume = 8 + 3 + 1 + 16 + 32
	sizeProof  = 3 + 8 + 32
)

func answer(nc net.Conn, before string, g muxframe.Greeting) {
	_, _ = nc.Write(muxframe.AppendGreeting([]byte(before), &g))
}

// Dial fails and closes the connection if the listener replies with anything but WELCOME.
func TestDialFails(t *testing.T) {
	limits := Config{}.settings().limits()
	for name, tc := range map[string]struct {
		say  func(nc net.Conn)
		want func(err error) bool
	}{
		"nothing": {func(nc net.Conn) { nc.Close() }, func(err error) bool { return err == io.EOF }},
		"another protocol": {func(nc net.Conn) { _, _ = nc.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n")) }, func(err error) bool {
			var broken *ProtocolError
			return errors.As(err, &broken)
		}},
		"no greeting": {func(nc net.Conn) { _, _ = nc.Write([]byte(muxframe.Magic + "\x09\x00\x00")) }, func(err error) bool {
			var broken *ProtocolError
			return errors.As(err, &broken)
		}},
		"a greeting that is for others": {func(nc net.Conn) {
			answer(nc, muxframe.Magic, muxframe.Greeting{Kind: muxframe.Challenge})
		}, func(err error) bool {
			var broken *ProtocolError
			return errors.As(err, &broken) && strings.Contains(err.Error(), "CHALLENGE out of turn")
		}},
		"no": {func(nc net.Conn) {
			answer(nc, muxframe.Magic, muxframe.Greeting{Kind: muxframe.Refused, Code: muxframe.RefusedFull, Text: "come back later"})
		}, func(err error) bool {
			var refused *RefusedError
			return errors.As(err, &refused) && refused.Code == RefusedTooManySessions && refused.Text == "come back later"
		}},
		"a key that is none": {func(nc net.Conn) {
			answer(nc, muxframe.Magic, muxframe.Greeting{Kind: muxframe.Welcome, Limits: limits})
		}, func(err error) bool { return strings.Contains(err.Error(), "ecdh") }},
	} {
		closed := make(chan error, 1)
		d := piped(t, Config{}, func(nc net.Conn) {
			reads(nc, sizeHello)
			tc.say(nc)
			_, err := nc.Read(make([]byte, 1))
			closed <- err
		})
		if s, err := d.begin(t.Context()); s != nil || err == nil || !tc.want(err) {
			t.Errorf("%s: %v", name, err)
		}
		if err := <-closed; err != io.EOF && err != io.ErrClosedPipe {
			t.Errorf("%s: the connection is kept: %v", name, err)
		}
	}
}

// Dial waits for a silent listener until HandshakeTimeout or the end of its context.
func TestDialIsGivenUp(t *testing.T) {
	for name, tc := range map[string]struct {
		handshake time.Duration
		cancelled bool
		want      error
	}{
		"handshake": {time.Millisecond, false, context.DeadlineExceeded}, "context": {-1, true, context.Canceled},
		"context before": {time.Hour, true, context.Canceled},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		closed := make(chan error, 1)
		d := piped(t, Config{HandshakeTimeout: tc.handshake}, func(nc net.Conn) {
			reads(nc, sizeHello)
			if tc.cancelled {
				cancel()
			}
			_, err := nc.Read(make([]byte, 1))
			closed <- err
		})
		if s, err := d.begin(ctx); s != nil || err != tc.want {
			t.Errorf("%s: %v", name, err)
		}
		if err := <-closed; err != io.EOF && err != io.ErrClosedPipe {
			t.Errorf("%s: the connection is kept: %v", name, err)
		}
	}
	d := &dialler{cfg: Config{NetDial: func(context.Context, string, string) (net.Conn, error) { return nil, errNobody }}.settings()}
	if _, err := d.begin(t.Context()); !errors.Is(err, errNobody) || !strings.HasPrefix(err.Error(), "tcpmux: ") {
		t.Errorf("nobody: %v", err)
	}
}

// An attempt to resume fails if the listener refuses, breaks a rule or does not prove that it knows the secret.
func TestTryToResume(t *testing.T) {
	refused := func(code muxframe.Refusal, received uint64) muxframe.Greeting {
		return muxframe.Greeting{Kind: muxframe.Refused, Code: code, Received: received}
	}
	challenge := muxframe.Greeting{Kind: muxframe.Challenge, Nonce: muxframe.Nonce{7}}
	overAt := func(n uint64) func(err error) bool {
		return func(err error) bool {
			var o *overError
			return errors.As(err, &o) && o.received == n
		}
	}
	isRefused := func(err error) bool {
		var r *RefusedError
		return errors.As(err, &r) && r.Code == RefusedUnknownSession
	}
	isBroken := func(err error) bool {
		var broken *ProtocolError
		return errors.As(err, &broken)
	}
	for name, tc := range map[string]struct {
		first, second muxframe.Greeting
		want          func(err error) bool
	}{
		"not known":            {refused(muxframe.RefusedUnknown, 0), refused(0, 0), isRefused},
		"closed":               {refused(muxframe.RefusedOver, 5), refused(0, 0), overAt(5)},
		"closed meanwhile":     {challenge, refused(muxframe.RefusedOver, 6), overAt(6)},
		"not known any more":   {challenge, refused(muxframe.RefusedUnknown, 0), isRefused},
		"out of turn":          {muxframe.Greeting{Kind: muxframe.Resumed}, refused(0, 0), isBroken},
		"without a proof":      {challenge, muxframe.Greeting{Kind: muxframe.Resumed}, isBroken},
		"again out of turn":    {challenge, challenge, isBroken},
		"it knows another one": {challenge, muxframe.Greeting{Kind: muxframe.Resumed, MAC: muxframe.MAC{1}}, isBroken},
		"it proves the wrong": {challenge, muxframe.Greeting{Kind: muxframe.Resumed, Received: 1, MAC: (&secret.Proof{
			Secret: secret.Secret{1}, ID: muxframe.ID{1}, ListenerNonce: challenge.Nonce}).MAC(secret.Listener)}, isBroken},
	} {
		closed := make(chan error, 1)
		d := piped(t, Config{}, func(nc net.Conn) {
			reads(nc, sizeResume)
			answer(nc, muxframe.Magic, tc.first)
			if tc.first.Kind == muxframe.Challenge {
				reads(nc, sizeProof)
				answer(nc, "", tc.second)
			}
			_, err := nc.Read(make([]byte, 1))
			closed <- err
		})
		s := newSession(d.cfg, muxframe.ID{1}, secret.Secret{1}, d.cfg.limits(), muxframe.CanResume, true)
		if err := d.resume(t.Context(), s, &attempt{attemptSlots: newAttemptSlots()}); err == nil || !tc.want(err) || s.Connected() {
			t.Errorf("%s: %v", name, err)
		}
		if err := <-closed; err != io.EOF && err != io.ErrClosedPipe {
			t.Errorf("%s: the connection is kept: %v", name, err)
		}
	}
}

// A listener that proves itself gets the session, which continues after the bytes that the listener has received.
func TestResumedByHand(t *testing.T) {
	var s *Session
	said := make(chan []byte, 1)
	taken := uint64(0)
	d := piped(t, Config{}, func(nc net.Conn) {
		b := make([]byte, sizeResume)
		_, _ = io.ReadFull(nc, b)
		x, _, _ := muxframe.ParseGreeting(b[len(muxframe.Magic):])
		p := secret.Proof{Secret: s.secret, ID: x.ID, DiallerNonce: x.Nonce, ListenerNonce: muxframe.Nonce{7}}
		answer(nc, muxframe.Magic, muxframe.Greeting{Kind: muxframe.Challenge, Nonce: p.ListenerNonce})
		b = b[:sizeProof]
		_, _ = io.ReadFull(nc, b)
		x, _, _ = muxframe.ParseGreeting(b)
		if p.DiallerReceived = x.Received; !p.Verify(secret.Dialler, x.MAC) || x.Received != 4 {
			t.Errorf("a proof for %d bytes", x.Received)
		}
		p.ListenerReceived = taken
		answer(nc, "", muxframe.Greeting{Kind: muxframe.Resumed, Received: taken, MAC: p.MAC(secret.Listener)})
		rest := make([]byte, 4)
		_, _ = io.ReadFull(nc, rest)
		said <- rest
	})
	s = newSession(d.cfg, muxframe.ID{1}, secret.Secret{1}, d.cfg.limits(), muxframe.CanResume, true)
	s.origin = d
	announced(t, s, 2, false)
	x, err := s.Open("x")
	if err == nil {
		err = x.TrySend([]byte("hello"))
	}
	if err != nil {
		t.Fatal(err)
	}
	s.core.Attach(0, 1)
	s.core.Lend(nil, make([][]byte, 0, 1), 1000)
	s.core.Detach()
	taken = 8 // the open, and half of the message's frame
	if err := d.resume(t.Context(), s, &attempt{attemptSlots: newAttemptSlots()}); err != nil {
		t.Fatal(err)
	}
	if rest := <-said; !bytes.Equal(rest, []byte("ello")) {
		t.Errorf("it goes on with %q", rest)
	}
	s.Close()
}

// A connection that comes too late, or was told a count that has changed, is closed.
func TestOvertaken(t *testing.T) {
	for name, prepare := range map[string]func(s *Session) (received, told uint64){
		"another is there":               func(s *Session) (uint64, uint64) { s.conn = &conn{s: s}; return 0, 0 },
		"more has come":                  func(s *Session) (uint64, uint64) { announced(t, s, 2, false); return 0, 0 },
		"the session has ended":          func(s *Session) (uint64, uint64) { s.finishLocked(EndError{}); return 0, 0 },
		"the peer has what was not sent": func(s *Session) (uint64, uint64) { return 1, 0 },
	} {
		closed := make(chan error, 1)
		d := piped(t, Config{}, func(nc net.Conn) {
			_, err := nc.Read(make([]byte, 1))
			closed <- err
		})
		s := newSession(d.cfg, muxframe.ID{1}, secret.Secret{}, d.cfg.limits(), muxframe.CanResume, true)
		received, told := prepare(s)
		h, _, release, err := d.open(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		before := s.conn
		if err := run(s, h.Conn, h.ahead, received, told); err != errOvertaken || s.conn != before {
			t.Errorf("%s: %v", name, err)
		}
		if err := <-closed; err != io.EOF && err != io.ErrClosedPipe {
			t.Errorf("%s: the connection is kept: %v", name, err)
		}
		release()
	}
}

// farewell is a connection that delivers its last bytes together with its end.
type farewell struct {
	net.Conn
	said string
}

func (c *farewell) Read(p []byte) (int, error) {
	n := copy(p, c.said)
	c.said = c.said[n:]
	if c.said == "" {
		return n, io.EOF
	}
	return n, nil
}

// A greeting that arrives together with the end of a connection is read, in one piece or in two.
func TestLastWords(t *testing.T) {
	one := muxframe.AppendGreeting([]byte(muxframe.Magic), &muxframe.Greeting{Kind: muxframe.Challenge, Nonce: muxframe.Nonce{1}})
	two := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Refused, Code: muxframe.RefusedFull})
	h := &greetingConn{Conn: &farewell{said: string(one) + string(two) + "rest"}}
	if x, raw, err := h.read(); err != nil || x.Kind != muxframe.Challenge || string(raw) != string(one[8:]) {
		t.Errorf("got %+v, %v; want %v with all its bytes", x, err, muxframe.Challenge)
	}
	var refused *RefusedError
	if x, raw, err := h.expect(muxframe.Resumed); !errors.As(err, &refused) || x.Code != muxframe.RefusedFull || string(raw) != string(two) {
		t.Errorf("got %+v, %v; want a refusal with code %v", x, err, muxframe.RefusedFull)
	}
	if string(h.ahead) != "rest" {
		t.Errorf("%q is left", h.ahead)
	}
	if _, _, err := (&greetingConn{Conn: &farewell{said: string(one[:20])}}).read(); err != io.EOF {
		t.Errorf("cut short: got %v, want %v", err, io.EOF)
	}
}

// Listen returns an error if the address cannot be used.
func TestListenFails(t *testing.T) {
	l, err := Listen("tcp://127.0.0.1:0", Config{TLSConfig: &tls.Config{}}) // which is for tls:// only
	if err != nil {
		t.Fatal(err)
	}
	defer l.Shutdown(t.Context())
	for _, url := range []string{"udp://127.0.0.1:0", "tls://127.0.0.1:0", "tcp://" + l.Addr().String()} {
		if l, err := Listen(url, Config{}); l != nil || err == nil || !strings.HasPrefix(err.Error(), "tcpmux: ") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := Dial(t.Context(), "udp://127.0.0.1:1", Config{}); err == nil {
		t.Error("Dial with udp: got no error")
	}
	s, err := Dial(t.Context(), "tcp://"+l.Addr().String(), Config{})
	if err != nil || s.TLS() != nil {
		t.Fatalf("dialled: %v", err)
	}
	s.Close()
}
