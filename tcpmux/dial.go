package tcpmux

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/muxframe"
	"github.com/shockwave-go/shockwave/internal/netconn"
)

// dialled runs the connections of all sessions that this process has dialled. Without any it has neither goroutine nor
// descriptor.
var dialled = sync.OnceValue(func() *netconn.Engine { return newEngine(Config{}.settings(), nil, nil) })

// dialler opens a session's connections.
type dialler struct {
	cfg *settings
	to  address
}

// dialer is Config.Dial's default.
var dialer dial.Dialer

// Dial opens a session to a Listener. url is tcp://HOST:PORT or tls://HOST:PORT. ctx bounds the first connection only; when
// that has been there and breaks, the session connects again by itself, until it ends.
func Dial(ctx context.Context, url string, cfg Config) (*Session, error) {
	a, err := parseAddress(url)
	if err != nil {
		return nil, err
	}
	d := &dialler{cfg: cfg.settings(), to: a}
	return d.begin(ctx)
}

// hand is a connection of ours during the greeting: bytes are read from it until the greeting is over.
type hand struct {
	net.Conn
	ahead []byte        // what has been read and not taken
	magic bool          // has come
	wait  time.Duration // for each greeting; 0: as long as the connection is open
}

// read reads the next greeting. raw are its bytes.
func (h *hand) read() (x muxframe.Greeting, raw []byte, err error) {
	for {
		if !h.magic {
			n, err := muxframe.ParseMagic(h.ahead)
			if err != nil {
				return x, nil, err
			}
			h.ahead, h.magic = h.ahead[n:], n > 0
		}
		if h.magic {
			x, n, err := muxframe.ParseGreeting(h.ahead)
			if err != nil || n > 0 {
				raw, h.ahead = h.ahead[:n], h.ahead[n:]
				return x, raw, err
			}
		}
		var b [2048]byte
		n, err := h.Read(b[:])
		h.ahead = append(h.ahead[:len(h.ahead):len(h.ahead)], b[:n]...)
		if err != nil && n == 0 {
			return x, nil, err
		}
	}
}

// want reads the next greeting, which is of a kind, or refuses us.
func (h *hand) want(kind muxframe.Kind) (x muxframe.Greeting, raw []byte, err error) {
	if h.wait > 0 {
		_ = h.SetReadDeadline(time.Now().Add(h.wait))
		defer h.SetReadDeadline(time.Time{})
	}
	x, raw, err = h.read()
	switch {
	case err != nil:
		return x, raw, err
	case x.Kind == muxframe.Refused:
		return x, raw, &RefusedError{Code: x.Code, Text: x.Text}
	case x.Kind != kind:
		return x, raw, muxframe.Broken(x.Kind.String() + " out of turn")
	}
	return x, raw, nil
}

// open opens a connection as far as the greeting. It is closed when ctx ends, until release is called.
func (d *dialler) open(ctx context.Context) (h *hand, bound []byte, release func() bool, err error) {
	t := &dial.Target{Host: d.to.host, Port: d.to.port, Net: d.cfg.Dial, Secure: netconn.TLSClient}
	if t.Net == nil {
		t.Net = dialer.DialContext
	}
	if d.to.secure {
		if t.TLS = d.cfg.TLS; t.TLS == nil {
			t.TLS = &tls.Config{}
		}
	}
	nc, ahead, err := t.Dial(ctx)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("tcpmux: %w", err)
	}
	release = context.AfterFunc(ctx, func() { nc.Close() })
	if tc, ok := nc.(*tls.Conn); ok {
		state := tc.ConnectionState()
		if bound, err = binding(&state); err != nil {
			nc.Close()
			return nil, nil, nil, err
		}
	}
	return &hand{Conn: nc, ahead: ahead}, bound, release, nil
}

// within bounds ctx by what a handshake may take.
func (d *dialler) within(ctx context.Context) (context.Context, context.CancelFunc) {
	if d.cfg.Handshake == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeout(ctx, d.cfg.Handshake)
}

// begin opens a connection and begins a session on it.
func (d *dialler) begin(ctx context.Context) (*Session, error) {
	ctx, cancel := d.within(ctx)
	defer cancel()
	h, bound, release, err := d.open(ctx)
	if err != nil {
		return nil, err
	}
	s, err := d.greet(h, bound)
	if err == nil && !release() {
		err = ctx.Err()
	}
	if err == nil {
		err = d.run(s, h, 0, 0)
	}
	if err != nil {
		h.Close()
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return nil, err
	}
	return s, nil
}

// greet begins a session on h.
func (d *dialler) greet(h *hand, bound []byte) (*Session, error) {
	private, public := newKey()
	x := muxframe.Greeting{Kind: muxframe.Hello, Features: d.cfg.features(), Key: public, Limits: d.cfg.limits()}
	hello := muxframe.AppendGreeting(nil, &x)
	if _, err := h.Write(append([]byte(muxframe.Magic), hello...)); err != nil {
		return nil, err
	}
	answer, welcome, err := h.want(muxframe.Welcome)
	if err != nil {
		return nil, err
	}
	secret, err := agree(private, answer.Key, hello, welcome, bound)
	if err != nil {
		return nil, err
	}
	s := newSession(d.cfg, answer.ID, secret, answer.Limits, answer.Features&x.Features, true)
	s.dialler = d
	return s, nil
}

// run makes h the session's connection, whose peer has received so much, and was told that we have. It fails if that is not
// true any more: another connection has been there meanwhile.
func (d *dialler) run(s *Session, h *hand, received, told uint64) error {
	attached := make(chan bool, 1)
	err := dialled().Run(h.Conn, h.ahead, func(nc *netconn.Conn) (netconn.Protocol, error) {
		s.mu.Lock()
		var c *conn
		if s.conn == nil && s.core.Received() == told {
			c = s.attach(nc, received)
		}
		s.unlock()
		attached <- c != nil
		if c == nil {
			return nil, netconn.ErrAbort
		}
		return c, nil
	})
	if err == nil && !<-attached {
		err = errOvertaken
	}
	return err
}

var errOvertaken = errors.New("tcpmux: another connection was faster")

// resume is x, a try to go on with the session on another connection.
func (d *dialler) resume(ctx context.Context, s *Session, x *try) error {
	ctx, cancel := d.within(ctx)
	defer cancel()
	begun := time.Now()
	h, bound, release, err := d.open(ctx)
	if err != nil {
		return err
	}
	x.reach()
	select {
	case x.patient <- struct{}{}:
		defer func() { <-x.patient }()
	default:
		h.wait = answerTime(begun)
	}
	p := proof{secret: s.secret, id: s.id, dialler: newNonce(), bound: bound}
	if err = d.challenged(&p, h); err == nil {
		h.wait = answerTime(begun)
		select {
		case x.turn <- struct{}{}:
			if err = d.goOn(s, h, &p, release); err == nil {
				return nil // the turn is kept: no other is needed
			}
			<-x.turn
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	h.Close()
	return err
}

// challenged asks to go on with the session of p, and completes p with what the listener asks.
func (d *dialler) challenged(p *proof, h *hand) error {
	b := muxframe.AppendGreeting([]byte(muxframe.Magic), &muxframe.Greeting{Kind: muxframe.Resume, ID: p.id, Nonce: p.dialler})
	if _, err := h.Write(b); err != nil {
		return err
	}
	x, _, err := h.want(muxframe.Challenge)
	p.asked = x.Nonce
	return ended(x, err)
}

// goOn shows p, and goes on with the session on h when the listener has shown its own.
func (d *dialler) goOn(s *Session, h *hand, p *proof, release func() bool) error {
	s.mu.Lock()
	p.theDiallerHas = s.core.Received()
	s.mu.Unlock()
	b := muxframe.AppendGreeting(nil, &muxframe.Greeting{Kind: muxframe.Proof, Received: p.theDiallerHas, MAC: p.mac(sideDialler)})
	if _, err := h.Write(b); err != nil {
		return err
	}
	x, _, err := h.want(muxframe.Resumed)
	if err != nil {
		return ended(x, err)
	}
	if p.theListenerHas = x.Received; !p.shows(sideListener, x.MAC) {
		return muxframe.Broken("the peer does not know the secret of the session")
	}
	if !release() {
		return context.Canceled
	}
	return d.run(s, h, x.Received, p.theDiallerHas)
}

// ended says of a session that the peer has closed in order how much it had received.
func ended(x muxframe.Greeting, err error) error {
	if r, ok := err.(*RefusedError); ok && r.Code == muxframe.RefusedOver {
		return &over{x.Received}
	}
	return err
}

// over is what resume says of a session that the peer has closed in order, after it had received so much.
type over struct{ received uint64 }

func (*over) Error() string { return "tcpmux: the peer has closed the session" }
