package h2client_test

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

// peer is the other end of a connection, a server. Each method ends the test when the conversation goes another way.
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
	p.preface()
	_ = p.fr.WriteSettings(settings...)
	_ = p.fr.WriteSettingsAck()
	p.want("SETTINGS ack")
	p.idle()
}

// preface reads the client's preface.
func (p *peer) preface() {
	p.t.Helper()
	_ = p.nc.SetReadDeadline(time.Now().Add(patience))
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(p.nc, preface); err != nil || string(preface) != http2.ClientPreface {
		p.t.Fatalf("the preface is %q, %v", preface, err)
	}
	p.want("SETTINGS")
}

// streams is SETTINGS_MAX_CONCURRENT_STREAMS.
func streams(n uint32) http2.Setting {
	return http2.Setting{ID: http2.SettingMaxConcurrentStreams, Val: n}
}

// head sends a header section; fields are names and values in turn.
func (p *peer) head(id uint32, end bool, fields ...string) {
	p.out.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = p.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = p.fr.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: p.out.Bytes(), EndStream: end, EndHeaders: true})
}

// ok answers with 200.
func (p *peer) ok(id uint32, end bool) { p.head(id, end, ":status", "200") }

// next returns the next frame as text.
func (p *peer) next() (string, error) {
	_ = p.nc.SetReadDeadline(time.Now().Add(patience))
	f, err := p.fr.ReadFrame()
	if err != nil {
		return "", err
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
		for _, l := range f.Fields {
			s += " " + l.Name + "=" + l.Value
		}
	case *http2.DataFrame:
		s += fmt.Sprintf(" %q", f.Data())
	case *http2.RSTStreamFrame:
		s += " " + f.ErrCode.String()
	case *http2.GoAwayFrame:
		s += fmt.Sprintf(" %d %v", f.LastStreamID, f.ErrCode)
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

// goAway sends GOAWAY.
func (p *peer) goAway(last uint32, code http2.ErrCode) {
	_ = p.fr.WriteGoAway(last, code, []byte("bye"))
}

// wantEOF expects the end of the connection, and ends our side.
func (p *peer) wantEOF() {
	p.t.Helper()
	if got, err := p.next(); err != io.EOF {
		p.t.Fatalf("got %s (%v), want the end; the last were %q", got, err, p.said)
	}
	_ = p.nc.Close()
}

// wantGone expects that the connection ends, whatever is said before.
func (p *peer) wantGone() {
	p.t.Helper()
	for {
		if _, err := p.next(); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				p.t.Fatalf("the connection is still there; the last were %q", p.said)
			}
			return
		}
	}
}

// halfClose says that nothing more will be sent.
func (p *peer) halfClose() { _ = p.nc.(interface{ CloseWrite() error }).CloseWrite() }
