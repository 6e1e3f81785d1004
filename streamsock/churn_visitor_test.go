package streamsock_test

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/streamsock"
)

// visitor connects again and again, sometimes as a socket, sometimes with bytes alone. Two have the same name, and may be
// there at the same time.
type visitor struct {
	t    *testing.T
	r    *rand.Rand
	name string
	tls  *tls.Config

	stays time.Duration // at most
}

var visitorBody = strings.Repeat("x", 5000)

// visit is one connection.
func (v *visitor) visit(c *churning) {
	name := "anybody"
	switch n := v.r.IntN(20); {
	case n == 0:
		name = "stranger"
	case n < 8:
		name = v.name
	}
	addr := c.addrs[v.r.IntN(len(c.addrs))]
	if v.r.IntN(4) == 0 {
		v.bytes(addr)
		return
	}
	v.socket(addr, name)
}

// socket is a visit as a socket.
func (v *visitor) socket(addr, name string) {
	c := streamsock.New(streamsock.Config{DialTLSConfig: v.tls, RedialFirst: -1, Linger: time.Duration(v.r.IntN(50)) * time.Millisecond})
	framed := isFramed(addr)
	if framed {
		addr += "/" + name
	}
	p, err := c.Connect(addr)
	if err != nil {
		v.t.Error(err)
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	heard := make(chan error, 1)
	listens := v.r.IntN(5) > 0
	go func() { heard <- hearVisit(ctx, c, listens) }()
	if !framed {
		_ = p.Send([]byte(name))
	}
	for i := range v.r.IntN(40) {
		if p.Send(fmt.Appendf(nil, "%d %s", i, visitorBody[:v.r.IntN(1+v.r.IntN(5000))])) != nil {
			break
		}
	}
	select {
	case <-p.Done():
	case <-time.After(rand.N(v.stays)):
	}
	if v.r.IntN(3) == 0 {
		_ = p.Disconnect(0, "")
	}
	_ = c.Shutdown(context.Background())
	cancel()
	if err := <-heard; err != nil {
		v.t.Error(err)
	}
}

// hearVisit receives messages, if the visitor listens, and checks them.
func hearVisit(ctx context.Context, c *streamsock.Socket, listens bool) error {
	for listens {
		m, err := c.Recv(ctx)
		if err != nil {
			return nil
		}
		if m.Kind == streamsock.KindBinary && strings.Trim(string(m.Data), "x") != "" {
			return fmt.Errorf("a message of %d bytes is not what was sent", len(m.Data))
		}
		m.Release()
	}
	return nil
}

// bytes is a visit that sends an invalid message, or a part of one, and breaks off.
func (v *visitor) bytes(addr string) {
	transport, host, _ := strings.Cut(addr, "://")
	network := "tcp"
	if transport == "unix" {
		network = "unix"
	}
	raw, err := net.Dial(network, host)
	if errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE) { // who is one too many may hear so before it is connected
		return
	}
	if err != nil {
		v.t.Error(err)
		return
	}
	defer raw.Close()
	nc := raw
	_ = nc.SetDeadline(time.Now().Add(5 * time.Second))
	if (transport == "tls" || transport == "wss") && v.r.IntN(4) > 0 {
		cfg := v.tls.Clone()
		cfg.ServerName = "example.com"
		nc = tls.Client(nc, cfg)
	}
	if isFramed(transport) && v.r.IntN(4) > 0 {
		_, _ = io.WriteString(nc, "GET /anybody HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"+
			"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		_, _ = nc.Read(make([]byte, 512))
	} else {
		_, _ = io.WriteString(nc, "\x00\x00\x00\x07anybody")
	}
	talks := []string{
		"", "\x00", "\x00\x00\x00\x05he", "\xff\xff\xff\xff", "\x82", "\x82\x81\x00\x00\x00\x000", "\x82\x85\x00\x00\x00\x00he", "\x82\x01a",
		"\x88\x80\x00\x00\x00\x00", "\x89\x80\x00\x00\x00\x00", "\x02\x80\x00\x00\x00\x00", "\x00\x00\x00\x010",
	}
	_, _ = io.WriteString(nc, talks[v.r.IntN(len(talks))])
	switch v.r.IntN(4) {
	case 0:
		if c, ok := raw.(*net.TCPConn); ok {
			_ = c.SetLinger(0)
		}
	case 1:
		if c, ok := raw.(interface{ CloseWrite() error }); ok {
			_ = c.CloseWrite()
			_, _ = io.Copy(io.Discard, io.LimitReader(nc, 1<<20))
		}
	case 2:
		time.Sleep(time.Duration(v.r.IntN(20)) * time.Millisecond)
	}
}
