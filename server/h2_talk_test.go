package server_test

import (
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/server"
	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Talk is a conversation with an HTTP/2 server, in frames written by hand. Each method ends the test if the server does
// something else.
type h2Talk struct {
	t    testing.TB
	nc   net.Conn
	fr   *http2.Framer
	out  bytes.Buffer // of enc
	enc  *hpack.Encoder
	held []byte // of batch
	hold bool
	said []string // for failures
	wait time.Duration
}

// h2On begins a conversation on nc: both prefaces were sent, and ours was acknowledged. settings are the client's.
func h2On(t testing.TB, nc net.Conn, settings ...http2.Setting) *h2Talk {
	t.Helper()
	t.Cleanup(func() { nc.Close() })
	k := &h2Talk{t: t}
	k.init(nc)
	nc.SetDeadline(time.Now().Add(k.wait))
	io.WriteString(nc, http2.ClientPreface)
	k.fr.WriteSettings(settings...)
	k.want("SETTINGS", "SETTINGS ack")
	k.fr.WriteSettingsAck()
	k.wantIdle() // before the time goes on
	return k
}

// init makes k ready for nc.
func (k *h2Talk) init(nc net.Conn) {
	k.nc = nc
	if k.wait == 0 {
		k.wait = 30 * time.Second
	}
	k.fr = http2.NewFramer(k, nc)
	k.enc = hpack.NewEncoder(&k.out)
	k.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	k.fr.AllowIllegalWrites = true
}

// h2 begins a conversation over TCP, without TLS.
func (f *fixture) h2(t testing.TB, settings ...http2.Setting) *h2Talk {
	t.Helper()
	nc, err := net.Dial("tcp", f.addr)
	if err != nil {
		t.Fatal(err)
	}
	return h2On(t, nc, settings...)
}

// Write implements io.Writer for the framer.
func (k *h2Talk) Write(p []byte) (int, error) {
	if k.hold {
		k.held = append(k.held, p...)
		return len(p), nil
	}
	return k.write(p)
}

// write writes to the connection.
func (k *h2Talk) write(p []byte) (int, error) {
	k.nc.SetWriteDeadline(time.Now().Add(k.wait)) // a test may have waited beside others
	return k.nc.Write(p)
}

// batch sends everything that say sends in one write.
func (k *h2Talk) batch(say func()) {
	k.t.Helper()
	k.hold = true
	say()
	k.hold = false
	if _, err := k.write(k.held); err != nil {
		k.t.Fatal(err)
	}
	k.held = nil
}

// headers sends a header section, given as lines "name: value".
func (k *h2Talk) headers(id uint32, end bool, lines ...string) {
	k.t.Helper()
	k.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: k.block(lines...), EndStream: end, EndHeaders: true})
}

// block encodes lines.
func (k *h2Talk) block(lines ...string) []byte {
	k.out.Reset()
	for _, l := range lines {
		name, value, _ := strings.Cut(l[1:], ":")
		k.enc.WriteField(hpack.HeaderField{Name: l[:1] + name, Value: strings.TrimPrefix(value, " ")})
	}
	return slices.Clone(k.out.Bytes())
}

// request is the head of a request.
func request(method, path string, more ...string) []string {
	return append([]string{":method: " + method, ":scheme: http", ":authority: example.com", ":path: " + path}, more...)
}

// get sends a request without a body.
func (k *h2Talk) get(id uint32, path string, more ...string) {
	k.t.Helper()
	k.headers(id, true, request("GET", path, more...)...)
}

// post sends the head of a request with a body.
func (k *h2Talk) post(id uint32, path string, more ...string) {
	k.t.Helper()
	k.headers(id, false, request("POST", path, more...)...)
}

// data sends DATA.
func (k *h2Talk) data(id uint32, p string, end bool) {
	k.t.Helper()
	if err := k.fr.WriteData(id, end, []byte(p)); err != nil {
		k.t.Fatal(err)
	}
}

// next returns the next frame as text, or the error of reading.
func (k *h2Talk) next() (string, error) {
	for {
		k.nc.SetReadDeadline(time.Now().Add(k.wait))
		f, err := k.fr.ReadFrame()
		if err != nil {
			return "", err
		}
		s := describeFrame(f)
		if s == "" {
			continue
		}
		k.said = append(k.said, s)
		if len(k.said) > 20 {
			k.said = k.said[1:]
		}
		return s, nil
	}
}

// describeFrame returns a frame as text, or "" for one that the tests ignore.
func describeFrame(f http2.Frame) string {
	h := f.Header()
	s := h.Type.String()
	if h.StreamID != 0 {
		s += fmt.Sprintf(" %d", h.StreamID)
	}
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		for _, l := range f.Fields {
			switch l.Name {
			case "date":
			case ":status":
				s += " " + l.Value
			default:
				s += " " + l.Name + "=" + l.Value
			}
		}
		if f.StreamEnded() {
			s += " END"
		}
	case *http2.DataFrame:
		if p := f.Data(); len(p) > 64 {
			s += fmt.Sprintf(" %d bytes", len(p))
		} else {
			s += fmt.Sprintf(" %q", p)
		}
		if f.StreamEnded() {
			s += " END"
		}
	case *http2.RSTStreamFrame:
		s += " " + f.ErrCode.String()
	case *http2.GoAwayFrame:
		s += fmt.Sprintf(" %d %v", f.LastStreamID, f.ErrCode)
	case *http2.WindowUpdateFrame:
		return "" // flow control has tests of its own
	case *http2.PingFrame:
		s += fmt.Sprintf(" %x", f.Data[7:])
		if f.IsAck() {
			s += " ack"
		}
	case *http2.SettingsFrame:
		if f.IsAck() {
			s += " ack"
		}
	}
	return s
}

// want expects frames, in this order.
func (k *h2Talk) want(frames ...string) {
	k.t.Helper()
	for _, want := range frames {
		got, err := k.next()
		if err != nil {
			k.t.Fatalf("want %s, got %v; before: %q", want, err, k.said)
		}
		if got != want {
			k.t.Fatalf("got %s, want %s; before: %q", got, want, k.said[:len(k.said)-1])
		}
	}
}

// wantAnyOrder expects frames, in any order.
func (k *h2Talk) wantAnyOrder(frames ...string) {
	k.t.Helper()
	for len(frames) > 0 {
		got, err := k.next()
		if err != nil {
			k.t.Fatalf("want %q, got %v; before: %q", frames, err, k.said)
		}
		i := slices.Index(frames, got)
		if i < 0 {
			k.t.Fatalf("got %s, want %q; before: %q", got, frames, k.said[:len(k.said)-1])
		}
		frames = slices.Delete(slices.Clone(frames), i, i+1)
	}
}

// wantIdle expects nothing but the answer to a PING, so everything sent before was processed.
func (k *h2Talk) wantIdle() {
	k.t.Helper()
	k.fr.WritePing(false, [8]byte{7: 0xee})
	k.want("PING ee ack")
}

// wantEOF expects the connection to end in good order, and closes our end, too: the server waits for that.
func (k *h2Talk) wantEOF() {
	k.t.Helper()
	defer k.nc.Close()
	if got, err := k.next(); err != io.EOF {
		k.t.Fatalf("got %s, %v; want the end; before: %q", got, err, k.said)
	}
}

// wantGone expects the end of the connection, whatever is sent before.
func (k *h2Talk) wantGone() {
	k.t.Helper()
	for {
		if _, err := k.next(); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				k.t.Fatalf("the connection is still there; before: %q", k.said)
			}
			return
		}
	}
}

// h2Way is a way to serve HTTP/2.
type h2Way struct {
	name string
	dial func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn)
}

// h2Ways are all of them: the latched loop, the plain one, pipes that split anywhere, and TLS on both loops.
var h2Ways = []h2Way{
	{"latched", dialTCP},
	{"plain", func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) { return dialTCP(t, plainly(cfg)) }},
	{"pipe", func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) {
		l := wiretest.Listen(wiretest.Config{}, wiretest.Config{})
		return startOn(t, l, cfg), func() net.Conn {
			nc, err := l.DialConfig(wiretest.Config{Split: wiretest.Random(7)}, wiretest.Config{})
			if err != nil {
				t.Fatal(err)
			}
			return nc
		}
	}},
	{"tls", dialH2TLS},
	{"tls plain", func(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) { return dialH2TLS(t, plainly(cfg)) }},
}

// plainly makes cfg use the plain loop.
func plainly(cfg server.Config) server.Config {
	if cfg.OnState == nil {
		cfg.OnState = func(net.Conn, http.ConnState) {}
	}
	return cfg
}

func dialTCP(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) {
	f := start(t, cfg)
	return f, func() net.Conn {
		nc, err := net.Dial("tcp", f.addr)
		if err != nil {
			t.Fatal(err)
		}
		return nc
	}
}

func dialH2TLS(t testing.TB, cfg server.Config) (*fixture, func() net.Conn) {
	cert, pool := devCert(t)
	cfg.TLSConfig = &tls.Config{Certificates: []tls.Certificate{cert}}
	f := startTLS(t, cfg, "", "")
	return f, func() net.Conn {
		nc, err := tls.Dial("tcp", f.addr, &tls.Config{RootCAs: pool, ServerName: "localhost", NextProtos: []string{"h2"}})
		if err != nil {
			t.Fatal(err)
		}
		return nc
	}
}

// onH2Ways runs test on every way to serve HTTP/2, each with a conversation that has begun.
func onH2Ways(t *testing.T, cfg server.Config, test func(t *testing.T, f *fixture, k *h2Talk)) {
	for _, w := range h2Ways {
		t.Run(w.name, func(t *testing.T) {
			f, dial := w.dial(t, cfg)
			test(t, f, h2On(t, dial()))
		})
	}
}
