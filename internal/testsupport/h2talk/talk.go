// Package h2talk lets tests talk to the other end of an HTTP/2 connection in frames that the test writes itself and reads
// as text. It uses the framer of golang.org/x/net, which shares no code with package http2.
package h2talk

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// Talk is a conversation. Each method that expects something fails the test at once if something else happens, and
// reports the last frames. It must be used by one goroutine only.
type Talk struct {
	Conn   net.Conn
	Framer *http2.Framer // also writes invalid frames
	// Text returns a frame as text, by default Describe, or "" for a frame that the test ignores.
	Text func(f http2.Frame) string
	// Timeout bounds each wait for a frame. Default one minute.
	Timeout time.Duration

	t    testing.TB
	out  bytes.Buffer // output of enc
	enc  *hpack.Encoder
	said []string // the last frames, for failure messages
}

// New begins a conversation on nc. It sends nothing.
func New(t testing.TB, nc net.Conn) *Talk {
	k := &Talk{Conn: nc, Framer: http2.NewFramer(nc, nc), Text: Describe, Timeout: time.Minute, t: t}
	k.Framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	k.Framer.AllowIllegalWrites = true
	k.enc = hpack.NewEncoder(&k.out)
	return k
}

// Headers sends a header section. fields are alternating names and values.
func (k *Talk) Headers(id uint32, end bool, fields ...string) {
	k.out.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = k.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	_ = k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: k.out.Bytes(), EndStream: end, EndHeaders: true})
}

// Next returns the next frame as text.
func (k *Talk) Next() (string, error) {
	for {
		_ = k.Conn.SetReadDeadline(time.Now().Add(k.Timeout))
		f, err := k.Framer.ReadFrame()
		if err != nil {
			return "", err
		}
		if s := k.Text(f); s != "" {
			if k.said = append(k.said, s); len(k.said) > 20 {
				k.said = k.said[1:]
			}
			return s, nil
		}
	}
}

// WantPreface expects the preface of a client and its SETTINGS.
func (k *Talk) WantPreface() {
	k.t.Helper()
	_ = k.Conn.SetReadDeadline(time.Now().Add(k.Timeout))
	preface := make([]byte, len(http2.ClientPreface))
	if _, err := io.ReadFull(k.Conn, preface); err != nil || string(preface) != http2.ClientPreface {
		k.t.Fatalf("the preface is %q, %v", preface, err)
	}
	k.Want("SETTINGS")
}

// Want expects frames, in this order.
func (k *Talk) Want(frames ...string) {
	k.t.Helper()
	for _, want := range frames {
		if got, err := k.Next(); got != want {
			k.t.Fatalf("got %s (%v), want %s; the last were %q", got, err, want, k.said)
		}
	}
}

// WantIdle expects that nothing arrives but the answer to a PING: everything sent before has been processed.
func (k *Talk) WantIdle() {
	k.t.Helper()
	_ = k.Framer.WritePing(false, [8]byte{7: 0xee})
	k.Want("PING ee ack")
}

// WantEOF expects an orderly end of the connection.
func (k *Talk) WantEOF() {
	k.t.Helper()
	if got, err := k.Next(); err != io.EOF {
		k.t.Fatalf("got %s (%v), want the end; the last were %q", got, err, k.said)
	}
}

// WantGone expects that the connection ends, whatever arrives before that.
func (k *Talk) WantGone() {
	k.t.Helper()
	for {
		if _, err := k.Next(); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				k.t.Fatalf("the connection is still there; the last were %q", k.said)
			}
			return
		}
	}
}

// HalfClose closes the sending side of the connection.
func (k *Talk) HalfClose() { _ = k.Conn.(interface{ CloseWrite() error }).CloseWrite() }
