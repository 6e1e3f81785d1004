package h2conn_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// peer is the other end of a connection, a client. Each method ends the test when the conversation goes another way.
type peer struct {
	t    testing.TB
	nc   net.Conn
	fr   *http2.Framer
	out  bytes.Buffer // of enc
	enc  *hpack.Encoder
	said []string // for failures
}

func newPeer(t testing.TB, nc net.Conn) *peer {
	p := &peer{t: t, nc: nc, fr: http2.NewFramer(nc, nc)}
	p.enc = hpack.NewEncoder(&p.out)
	p.fr.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	p.fr.AllowIllegalWrites = true
	return p
}

// hello exchanges the prefaces.
func (p *peer) hello(settings ...http2.Setting) {
	p.t.Helper()
	_, _ = io.WriteString(p.nc, http2.ClientPreface)
	_ = p.fr.WriteSettings(settings...)
	p.want("SETTINGS", "SETTINGS ack")
	_ = p.fr.WriteSettingsAck()
	p.idle()
}

// request opens a stream.
func (p *peer) request(id uint32, end bool) {
	p.out.Reset()
	for _, f := range [][2]string{{":method", "POST"}, {":scheme", "http"}, {":authority", "x"}, {":path", fmt.Sprint("/", id)}} {
		_ = p.enc.WriteField(hpack.HeaderField{Name: f[0], Value: f[1]})
	}
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.out.Bytes(), EndStream: end, EndHeaders: true})
}

// data sends DATA.
func (p *peer) data(id uint32, s string, end bool) {
	p.t.Helper()
	if err := p.fr.WriteData(id, end, []byte(s)); err != nil {
		p.t.Fatal(err)
	}
}

// next returns the next frame as text.
func (p *peer) next() (string, error) {
	_ = p.nc.SetReadDeadline(time.Now().Add(patience))
	f, err := p.fr.ReadFrame()
	if err != nil {
		return "", err
	}
	if ping, ok := f.(*http2.PingFrame); ok && !ping.IsAck() && ping.Data[7] == 1 { // the round trip is measured
		_ = p.fr.WritePing(true, ping.Data)
		return p.next()
	}
	s := describe(f)
	if p.said = append(p.said, s); len(p.said) > 20 {
		p.said = p.said[1:]
	}
	return s, nil
}

// describe returns a frame as text.
func describe(f http2.Frame) string {
	h := f.Header()
	s := h.Type.String()
	if h.StreamID != 0 {
		s += fmt.Sprintf(" %d", h.StreamID)
	}
	switch f := f.(type) {
	case *http2.MetaHeadersFrame:
		s += " " + f.PseudoValue("status")
	case *http2.DataFrame:
		if b := f.Data(); len(b) > 40 {
			s += fmt.Sprintf(" %d bytes", len(b))
		} else {
			s += fmt.Sprintf(" %q", b)
		}
	case *http2.RSTStreamFrame:
		s += " " + f.ErrCode.String()
	case *http2.GoAwayFrame:
		s += fmt.Sprintf(" %d %v", f.LastStreamID, f.ErrCode)
	case *http2.WindowUpdateFrame:
		s += fmt.Sprintf(" +%d", f.Increment)
	case *http2.PingFrame:
		s += fmt.Sprintf(" %x", f.Data[7:])
	}
	switch {
	case h.Type == http2.FrameData || h.Type == http2.FrameHeaders:
		if h.Flags&http2.FlagDataEndStream != 0 {
			s += " END"
		}
	case h.Flags&http2.FlagPingAck != 0:
		s += " ack"
	}
	return s
}

// want expects frames, in this order.
func (p *peer) want(frames ...string) {
	p.t.Helper()
	for _, want := range frames {
		if got, err := p.next(); got != want {
			p.t.Fatalf("got %s (%v), want %s; the last were %q", got, err, want, p.said)
		}
	}
}

// idle expects that nothing comes but the answer to a PING: all that was sent before has been looked at.
func (p *peer) idle() {
	p.t.Helper()
	_ = p.fr.WritePing(false, [8]byte{7: 0xee})
	p.want("PING ee ack")
}

// wantEOF expects the end of the connection, in good order.
func (p *peer) wantEOF() {
	p.t.Helper()
	if got, err := p.next(); err != io.EOF {
		p.t.Fatalf("got %s (%v), want the end; the last were %q", got, err, p.said)
	}
}

// halfClose says that nothing more will be sent.
func (p *peer) halfClose() { _ = p.nc.(interface{ CloseWrite() error }).CloseWrite() }
