package gateway

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/clitest"
	"github.com/shockwave-go/shockwave/internal/wire/lenframe"
	"github.com/shockwave-go/shockwave/server"
	"github.com/shockwave-go/shockwave/websocket"
)

// program is a program with this command alone.
var program = clitest.Only("gateway", Run)

func TestMain(m *testing.M) {
	clitest.BeProgram(program)
	flag.Set("test.parallel", "16") // the tests wait for times, not for a processor
	goleak.VerifyTestMain(m)
}

// patience bounds every wait; it decides nothing when things work.
const patience = time.Minute

// way is how a test's connections are made.
type way struct {
	name   string
	secure bool // wss
	tls    bool // the service
	raw    bool // no lengths there
}

var ways = []way{
	{name: "ws-tcp"}, {name: "wss-tcp", secure: true}, {name: "ws-tls", tls: true}, {name: "wss-tls", secure: true, tls: true},
	{name: "ws-tcp-raw", raw: true}, {name: "wss-tls-raw", secure: true, tls: true, raw: true},
}

func onEvery(t *testing.T, f func(t *testing.T, w way)) {
	for _, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			t.Parallel()
			f(t, w)
		})
	}
}

var certificate = sync.OnceValue(func() tls.Certificate {
	c, err := server.DevelopmentCertificate()
	if err != nil {
		panic(err)
	}
	return c
})

// rig is a gateway with one service, at /.
type rig struct {
	t       *testing.T
	way     way
	g       *Gateway
	url     string
	service net.Listener
	ends    chan Report
}

// newRig runs a gateway until the test ends.
func newRig(t *testing.T, w way, cfg Config) *rig {
	t.Helper()
	r := &rig{t: t, way: w, ends: make(chan Report, 1000)}
	var err error
	if r.service, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.service.Close() })
	to := "tcp://" + r.service.Addr().String()
	if w.tls {
		to = "tls" + to[3:]
	}
	route, err := ParseRoute("/=" + to)
	if err != nil {
		t.Fatal(err)
	}
	cfg.Routes = append(cfg.Routes, route)
	cfg.Raw = w.raw
	cfg.OnEnd = func(e Report) { r.ends <- e }
	if cfg.TLS == nil {
		cfg.TLS = &tls.Config{InsecureSkipVerify: true}
	}
	if cfg.Linger == 0 {
		cfg.Linger = patience
	}
	r.g = New(cfg)
	r.serve()
	return r
}

// serve has the gateway listen.
func (r *rig) serve() {
	srv := server.NewServer(server.Config{Handler: r.g, TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate()}}})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		r.t.Fatal(err)
	}
	served := make(chan error, 1)
	if r.url = "ws://" + l.Addr().String(); r.way.secure {
		r.url = "wss://" + l.Addr().String()
	}
	go func() {
		if r.way.secure {
			served <- srv.ServeTLS(l, "", "")
		} else {
			served <- srv.Serve(l)
		}
	}()
	r.t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		go srv.Shutdown(ctx)
		r.g.Shutdown(ctx)
		srv.Close()
		<-served
	})
}

// wantEnd wants a peer to have ended so: "peer closed 1000".
func (r *rig) wantEnd(want string) Report {
	r.t.Helper()
	select {
	case e := <-r.ends:
		if got := fmt.Sprint(e.End.By, " ", e.End.Reason, " ", uint16(e.End.Code)); got != want {
			r.t.Errorf("the peer ended by %s %q %v, want %s", got, e.End.Text, e.End.Err, want)
		}
		return e
	case <-time.After(patience):
		r.t.Fatalf("the peer has not ended; want %s", want)
		return Report{}
	}
}

// pair returns a peer and its service's connection.
func (r *rig) pair() (*remote, *backend) {
	r.t.Helper()
	p := r.dial()
	return p, r.accept()
}

// backend is a service's end of a connection.
type backend struct {
	net.Conn
	t   *testing.T
	raw bool
}

// accept returns the next connection to the service.
func (r *rig) accept() *backend {
	r.t.Helper()
	nc, err := r.service.Accept()
	if err != nil {
		r.t.Fatal(err)
	}
	if r.way.tls {
		nc = tls.Server(nc, &tls.Config{Certificates: []tls.Certificate{certificate()}})
	}
	nc.SetDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { nc.Close() })
	return &backend{nc, r.t, r.way.raw}
}

// say sends messages.
func (b *backend) say(messages ...string) {
	b.t.Helper()
	var out []byte
	for _, m := range messages {
		if !b.raw {
			out = lenframe.AppendHeader(out, len(m))
		}
		out = append(out, m...)
	}
	b.bytes(string(out))
}

// bytes sends bytes as they are.
func (b *backend) bytes(s string) {
	b.t.Helper()
	if _, err := io.WriteString(b, s); err != nil {
		b.t.Fatal(err)
	}
}

// want wants messages.
func (b *backend) want(messages ...string) {
	b.t.Helper()
	for _, m := range messages {
		head := ""
		if !b.raw {
			head = string(lenframe.AppendHeader(nil, len(m)))
		}
		got := make([]byte, len(head)+len(m))
		if n, err := io.ReadFull(b, got); err != nil || string(got) != head+m {
			b.t.Fatalf("the service got %.100q, %v, want %.100q", got[:n], err, head+m)
		}
	}
}

// wantEOF wants the end of what the gateway sends.
func (b *backend) wantEOF() {
	b.t.Helper()
	if rest, err := io.ReadAll(b); err != nil || len(rest) > 0 {
		b.t.Fatalf("the service got %.100q, %v, want the end", rest, err)
	}
}

// wantReset wants the connection to be broken.
func (b *backend) wantReset() {
	b.t.Helper()
	if _, err := io.Copy(io.Discard, b); !errors.Is(err, syscall.ECONNRESET) {
		b.t.Fatalf("the service got %v, want a reset", err)
	}
}

// finish ends what the service sends.
func (b *backend) finish() {
	b.t.Helper()
	if err := b.Conn.(interface{ CloseWrite() error }).CloseWrite(); err != nil {
		b.t.Fatal(err)
	}
}

// remote is a peer that speaks frames.
type remote struct {
	net.Conn
	t  *testing.T
	in *websocket.FrameReader
}

func (r *rig) dial() *remote { return r.dialWith(websocket.Config{}) }

func (r *rig) dialWith(cfg websocket.Config) *remote {
	r.t.Helper()
	cfg.TLSConfig = &tls.Config{InsecureSkipVerify: true}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, _, err := websocket.DialRaw(ctx, r.url+"/", cfg)
	if err != nil {
		r.t.Fatal(err)
	}
	raw.SetDeadline(time.Now().Add(patience))
	r.t.Cleanup(func() { raw.Conn.Close() })
	in := websocket.NewFrameReader(io.MultiReader(strings.NewReader(string(raw.Ahead)), raw.Conn), websocket.ClientRole, 64<<20)
	return &remote{raw.Conn, r.t, in}
}

// frame sends a frame, masked with a key of zeros.
func (p *remote) frame(first byte, payload string) {
	p.t.Helper()
	b := []byte{first}
	switch n := len(payload); {
	case n < 126:
		b = append(b, 0x80|byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), uint64(n))
	}
	if _, err := p.Write(append(append(b, 0, 0, 0, 0), payload...)); err != nil {
		p.t.Fatal(err)
	}
}

// say sends messages.
func (p *remote) say(messages ...string) {
	p.t.Helper()
	for _, m := range messages {
		p.frame(0x82, m)
	}
}

// end sends a close frame.
func (p *remote) end(code uint16, text string) {
	p.frame(0x88, string(binary.BigEndian.AppendUint16(nil, code))+text)
}

// next returns the next frame: a message's payload, "text …", "close 1000 …", "ping", "EOF" or "reset".
func (p *remote) next() string {
	buf := make([]byte, 512)
	f, n, err := p.in.ReadFrameInto(buf)
	if err == io.ErrShortBuffer {
		f, _, err = p.in.ReadFrameInto(make([]byte, n))
	}
	switch {
	case err == io.EOF:
		return "EOF"
	case errors.Is(err, syscall.ECONNRESET):
		return "reset"
	case err != nil:
		return err.Error()
	}
	switch f.Opcode {
	case websocket.OpClose:
		if len(f.Payload) < 2 {
			return "close"
		}
		return strings.TrimSpace(fmt.Sprintf("close %d %s", binary.BigEndian.Uint16(f.Payload), f.Payload[2:]))
	case websocket.OpText:
		return "text " + string(f.Payload)
	case websocket.OpBinary:
		return string(f.Payload)
	}
	return f.Opcode.String()
}

// want wants these frames.
func (p *remote) want(frames ...string) {
	p.t.Helper()
	for _, f := range frames {
		if got := p.next(); got != f {
			p.t.Fatalf("the peer got %.100q, want %.100q", got, f)
		}
	}
}

// wantBehindPings wants this frame behind any number of pings: on a busy machine one may not be enough.
func (p *remote) wantBehindPings(frame string) {
	p.t.Helper()
	got := p.next()
	for got == "ping" {
		got = p.next()
	}
	if got != frame {
		p.t.Fatalf("the peer got %.100q, want %q", got, frame)
	}
}

// refused asks for an upgrade that is refused, and returns the status.
func (r *rig) refused(path string, cfg websocket.Config) int {
	r.t.Helper()
	cfg.TLSConfig = &tls.Config{InsecureSkipVerify: true}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	raw, resp, err := websocket.DialRaw(ctx, r.url+path, cfg)
	if err == nil {
		raw.Close()
		return http.StatusSwitchingProtocols
	}
	if resp == nil {
		r.t.Fatal(err)
	}
	return resp.StatusCode
}
