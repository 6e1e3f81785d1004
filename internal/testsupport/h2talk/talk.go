// Package h2talk lets tests talk to the other end of an HTTP/2 connection in frames that the test writes itself and reads
// as text. It uses the framer of golang.org/x/net, which shares no code with package http2.
package h2talk

import (
	"bytes"
	"io"
	"net"
	"slices"
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

	// Said holds the last frames, for failure messages.
	Said []string

	t    testing.TB
	out  bytes.Buffer // output of enc
	enc  *hpack.Encoder
	hold bool
	held []byte // what was written while hold was set
}

// New begins a conversation on nc. It sends nothing.
func New(t testing.TB, nc net.Conn) *Talk {
	k := &Talk{Conn: nc, Text: Describe, Timeout: time.Minute, t: t}
	k.Framer = http2.NewFramer(writer{k}, nc)
	k.Framer.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	k.Framer.AllowIllegalWrites = true
	k.enc = hpack.NewEncoder(&k.out)
	return k
}

// Headers sends a header section. fields are alternating names and values.
func (k *Talk) Headers(id uint32, end bool, fields ...string) {
	_ = k.Framer.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: k.Block(fields...), EndStream: end, EndHeaders: true})
}

// Block encodes a header section. fields are alternating names and values.
func (k *Talk) Block(fields ...string) []byte {
	k.out.Reset()
	for i := 0; i < len(fields); i += 2 {
		_ = k.enc.WriteField(hpack.HeaderField{Name: fields[i], Value: fields[i+1]})
	}
	return bytes.Clone(k.out.Bytes())
}

// writer writes the frames.
type writer struct{ k *Talk }

func (w writer) Write(p []byte) (int, error) {
	if k := w.k; k.hold {
		k.held = append(k.held, p...)
		return len(p), nil
	}
	return w.k.write(p)
}

func (k *Talk) write(p []byte) (int, error) {
	_ = k.Conn.SetWriteDeadline(time.Now().Add(k.Timeout)) // the test may have waited long before
	return k.Conn.Write(p)
}

// Held returns what say sends, which does not leave.
func (k *Talk) Held(say func()) []byte {
	k.hold, k.held = true, nil
	say()
	k.hold = false
	return k.held
}

// Batch has all that say sends leave in one write.
func (k *Talk) Batch(say func()) {
	k.t.Helper()
	if _, err := k.write(k.Held(say)); err != nil {
		k.t.Fatal(err)
	}
}

// HelloServer exchanges the preface and SETTINGS with a server, as its client does: both SETTINGS are acknowledged.
func (k *Talk) HelloServer(settings ...http2.Setting) {
	k.t.Helper()
	_, _ = io.WriteString(k.Conn, http2.ClientPreface)
	_ = k.Framer.WriteSettings(settings...)
	k.Want("SETTINGS", "SETTINGS ack")
	_ = k.Framer.WriteSettingsAck()
	k.WantIdle()
}

// HelloClient exchanges the preface and SETTINGS with a client, as its server does: both SETTINGS are acknowledged.
func (k *Talk) HelloClient(settings ...http2.Setting) {
	k.t.Helper()
	k.WantPreface()
	_ = k.Framer.WriteSettings(settings...)
	_ = k.Framer.WriteSettingsAck()
	k.Want("SETTINGS ack")
	k.WantIdle()
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
			if k.Said = append(k.Said, s); len(k.Said) > 20 {
				k.Said = k.Said[1:]
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
			k.t.Fatalf("got %s (%v), want %s; the last were %q", got, err, want, k.Said)
		}
	}
}

// WantAnyOrder expects frames, in any order.
func (k *Talk) WantAnyOrder(frames ...string) {
	k.t.Helper()
	for left := slices.Clone(frames); len(left) > 0; {
		got, err := k.Next()
		i := slices.Index(left, got)
		if i < 0 {
			k.t.Fatalf("got %s (%v), want %q; the last were %q", got, err, left, k.Said)
		}
		left = slices.Delete(left, i, i+1)
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
		k.t.Fatalf("got %s (%v), want the end; the last were %q", got, err, k.Said)
	}
}

// WantGone expects that the connection ends, whatever arrives before that.
func (k *Talk) WantGone() {
	k.t.Helper()
	for {
		if _, err := k.Next(); err != nil {
			if ne, ok := err.(net.Error); ok && ne.Timeout() {
				k.t.Fatalf("the connection is still there; the last were %q", k.Said)
			}
			return
		}
	}
}

// HalfClose closes the sending side of the connection.
func (k *Talk) HalfClose() { _ = k.Conn.(interface{ CloseWrite() error }).CloseWrite() }
