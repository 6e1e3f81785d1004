// Package h3server writes what a test wants in the place of a server of HTTP/3.
package h3server

import (
	"crypto/tls"
	"io"
	"net"
	"net/http/httptest"
	"testing"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// Conn is a connection of HTTP/3 as a server sees it, on which a test writes what it likes.
type Conn struct {
	*quic.Conn
	Control *quic.SendStream // begun with SETTINGS, unless the server begins in its own way
}

// Uni opens a unidirectional stream and writes what it begins with.
func (c *Conn) Uni(begin string) *quic.SendStream {
	st, err := c.OpenUniStream()
	if err == nil {
		io.WriteString(st, begin)
	}
	return st
}

// Section is a HEADERS frame.
func Section(fields ...string) string {
	var enc qpack.Encoder
	b := enc.AppendPrefix(nil)
	for i := 0; i < len(fields); i += 2 {
		b = enc.AppendField(b, fields[i], fields[i+1])
	}
	return Framed(h3frame.Headers, string(b))
}

// Framed is a frame of HTTP/3 as it stands on the wire.
func Framed(t h3frame.Type, payload string) string {
	return string(h3frame.AppendHeader(nil, t, uint64(len(payload)))) + payload
}

// Beginning is the beginning of a frame with less than it announces.
func Beginning(t h3frame.Type, length uint64, payload string) string {
	return string(h3frame.AppendHeader(nil, t, length)) + payload
}

// Path returns the path of the request on st.
func Path(st *quic.Stream) string {
	var m h3frame.Message
	var d qpack.Decoder
	m.Reset(64 << 10)
	in, _ := io.ReadAll(st)
	for len(in) > 0 {
		p, n, err := m.Next(in)
		if err != nil || n == 0 {
			return ""
		}
		if in = in[n:]; p.Kind == h3frame.Section {
			fields, _ := d.Decode(p.Bytes, nil)
			for _, f := range fields {
				if f.Name == ":path" {
					return f.Value
				}
			}
		}
	}
	return ""
}

// ListenUDP returns a socket for a server, its TLS configuration and its URL.
func ListenUDP(t *testing.T) (pc net.PacketConn, cfg *tls.Config, url string) {
	t.Helper()
	secure := httptest.NewTLSServer(nil)
	secure.Close()
	pc, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pc.Close() })
	return pc, &tls.Config{Certificates: secure.TLS.Certificates, NextProtos: []string{"h3"}}, "https://" + pc.LocalAddr().String()
}
