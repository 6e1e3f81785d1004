package main_test

import (
	"bytes"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// quicServer is a connection of HTTP/3 as a server sees it, which writes whatever it likes.
type quicServer struct {
	*quic.Conn
	control *quic.SendStream // begun with SETTINGS, unless the server begins in its own way
}

// uni opens a unidirectional stream and writes what it begins with.
func (c *quicServer) uni(begin string) *quic.SendStream {
	st, err := c.OpenUniStream()
	if err == nil {
		io.WriteString(st, begin)
	}
	return st
}

// section is a HEADERS frame.
func section(fields ...string) string {
	var enc qpack.Encoder
	b := enc.AppendPrefix(nil)
	for i := 0; i < len(fields); i += 2 {
		b = enc.AppendField(b, fields[i], fields[i+1])
	}
	return framed(h3frame.Headers, string(b))
}

// framed is a frame of HTTP/3 as it stands on the wire.
func framed(t h3frame.Type, payload string) string {
	return string(h3frame.AppendHeader(nil, t, uint64(len(payload)))) + payload
}

// beginning is the beginning of a frame with less than it announces.
func beginning(t h3frame.Type, length uint64, payload string) string {
	return string(h3frame.AppendHeader(nil, t, length)) + payload
}

// next is the right answer.
var next = section(":status", "200", "content-length", "4") + framed(h3frame.Data, "next")

// path returns the path of the request on st.
func path(st *quic.Stream) string {
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

// serveHTTP3 answers requests on a connection: h's by what h does with streams, others as it should.
func (h *hostile) serveHTTP3(qc *quic.Conn) {
	c := &quicServer{Conn: qc}
	if h.begins != nil && h.conns.Add(1) == 1 {
		h.begins(c)
	} else {
		c.control = c.uni("\x00" + framed(h3frame.Settings, ""))
	}
	for {
		st, err := c.AcceptStream(c.Context())
		if err != nil {
			return
		}
		go func() {
			if h.streams != nil && path(st) == "/bad" {
				h.streams(c, st)
				return
			}
			io.WriteString(st, next)
			st.Close()
		}()
	}
}

// listenUDP returns a socket for a server, its TLS configuration and its URL.
func listenUDP(t *testing.T) (pc net.PacketConn, cfg *tls.Config, url string) {
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

// overUDP is the carrier of servers that speak HTTP/3.
var overUDP = carrier{
	run: func(t *testing.T, h *hostile) string {
		pc, cfg, url := listenUDP(t)
		tr := &quic.Transport{Conn: pc}
		l, err := tr.Listen(cfg, &quic.Config{InitialConnectionReceiveWindow: 1 << 20, MaxIncomingUniStreams: 10})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		all.Go(func() {
			for {
				qc, err := l.Accept(t.Context())
				if err != nil {
					return
				}
				all.Go(func() { h.serveHTTP3(qc) })
			}
		})
		t.Cleanup(func() {
			l.Close()
			tr.Close()
			all.Wait()
		})
		return url
	},
	gate: func(t *testing.T, f func()) string {
		pc, cfg, url := listenUDP(t)
		s := &http3.Server{TLSConfig: cfg, Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { f() })}
		served := make(chan error, 1)
		go func() { served <- s.Serve(pc) }()
		t.Cleanup(func() {
			s.Close()
			<-served
		})
		return url
	},
}

// TestGetRefusesHTTP3: streams and frames that break rules of HTTP/3, and floods of frames that keep them.
func TestGetRefusesHTTP3(t *testing.T) {
	says := func(s string) func(*quicServer, *quic.Stream) { // and ends the stream
		return func(_ *quicServer, st *quic.Stream) {
			io.WriteString(st, s)
			st.Close()
		}
	}
	flood := func(first, piece string) func(*quicServer, *quic.Stream) {
		many := bytes.Repeat([]byte(piece), 1+16<<10/len(piece))
		return func(_ *quicServer, st *quic.Stream) {
			_, err := io.WriteString(st, first)
			for err == nil {
				_, err = st.Write(many)
			}
		}
	}
	controls := func(s string) func(*quicServer, *quic.Stream) { // on the control stream
		return func(c *quicServer, _ *quic.Stream) { io.WriteString(c.control, s) }
	}
	controlFlood := func(piece string) func(*quicServer, *quic.Stream) {
		many := bytes.Repeat([]byte(piece), 1+4<<10/len(piece))
		return func(c *quicServer, _ *quic.Stream) {
			for err := error(nil); err == nil; {
				_, err = c.control.Write(many)
			}
		}
	}
	begins := func(s string) func(*quicServer) { return func(c *quicServer) { c.uni(s) } }
	silent := func(*quicServer, *quic.Stream) {}
	ok := section(":status", "200")
	settings := framed(h3frame.Settings, "")
	facing(t, time.Minute, []hostile{
		{name: "nothing", streams: says(""), want: "ends too early"},
		{name: "no status", streams: says(section("x", "y")), want: "H3_MESSAGE_ERROR"},
		{name: "two statuses", streams: says(section(":status", "200", ":status", "200")), want: "H3_MESSAGE_ERROR"},
		{name: "a status of two digits", streams: says(section(":status", "20")), want: "H3_MESSAGE_ERROR"},
		{name: "a switch of protocols", streams: says(section(":status", "101")), want: "H3_MESSAGE_ERROR"},
		{name: "a request", streams: says(section(":method", "GET", ":path", "/")), want: "H3_MESSAGE_ERROR"},
		{name: "a pseudo-field behind another field", streams: says(section("x", "y", ":status", "200")), want: "H3_MESSAGE_ERROR"},
		{name: "a name in capitals", streams: says(section(":status", "200", "X", "y")), want: "H3_MESSAGE_ERROR"},
		{name: "a field of HTTP/1.1", streams: says(section(":status", "200", "transfer-encoding", "chunked")), want: "H3_MESSAGE_ERROR"},
		{name: "a value with a line's end", streams: says(section(":status", "200", "x", "a\r\nb: c")), want: "H3_MESSAGE_ERROR"},
		{name: "two lengths", streams: says(section(":status", "200", "content-length", "3", "content-length", "4") + framed(h3frame.Data, "abc")), want: "H3_MESSAGE_ERROR"},
		{name: "a length that is none", streams: says(section(":status", "200", "content-length", "-1")), want: "H3_MESSAGE_ERROR"},
		{name: "less than was said", streams: says(section(":status", "200", "content-length", "1099511627776") + framed(h3frame.Data, "abc")), want: "ends too early"},
		{name: "more than was said", streams: says(section(":status", "200", "content-length", "3") + framed(h3frame.Data, "abcd")), want: "H3_MESSAGE_ERROR"},
		{name: "no content, and some", streams: says(section(":status", "204") + framed(h3frame.Data, "evil")), want: "H3_MESSAGE_ERROR"},
		{name: "half a head", streams: says(beginning(h3frame.Headers, 100, "\x00\x00\xd9")), want: "H3_FRAME_ERROR"},
		{name: "half a frame of content", streams: says(ok + beginning(h3frame.Data, 100, "abc")), want: "H3_FRAME_ERROR"},
		{name: "a frame said to be as long as can be", streams: says(beginning(h3frame.Headers, h3frame.MaxVarint, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "content first", streams: says(framed(h3frame.Data, "abc")), want: "H3_FRAME_UNEXPECTED"},
		{name: "content behind the trailers", streams: says(ok + section("x", "y") + framed(h3frame.Data, "abc")), want: "H3_FRAME_UNEXPECTED"},
		{name: "a status in the trailers", streams: says(ok + section(":status", "200")), want: "H3_MESSAGE_ERROR"},
		{name: "settings on a request", streams: says(settings), want: "H3_FRAME_UNEXPECTED"},
		{name: "a frame of HTTP/2", streams: says(ok + framed(0x06, "12345678")), want: "H3_FRAME_UNEXPECTED"},
		{name: "a push", streams: says(framed(h3frame.PushPromise, "\x00\x00\x00\xd9")), want: "H3_ID_ERROR"},
		{name: "a section that is none", streams: says(framed(h3frame.Headers, "\xff\xff\xff")), want: "QPACK_DECOMPRESSION_FAILED"},
		{name: "a field of a table that is not there", streams: says(framed(h3frame.Headers, "\x01\x00\x80")), want: "QPACK_DECOMPRESSION_FAILED"},
		{name: "an index beyond the static table", streams: says(framed(h3frame.Headers, "\x00\x00\xff\xff\x01")), want: "QPACK_DECOMPRESSION_FAILED"},
		{name: "a large head", streams: says(section(":status", "200", "x", strings.Repeat("y", 4<<20))), want: "H3_EXCESSIVE_LOAD"},
		{name: "many fields", streams: says(framed(h3frame.Headers, "\x00\x00\xd9"+strings.Repeat("\xc4", 200_000))), want: "H3_EXCESSIVE_LOAD"},
		{name: "a stream reset", streams: func(_ *quicServer, st *quic.Stream) { st.CancelWrite(quic.StreamErrorCode(h3frame.InternalError)) }, want: "H3_INTERNAL_ERROR"},
		{name: "a stream reset in its body", streams: func(_ *quicServer, st *quic.Stream) {
			io.WriteString(st, section(":status", "200", "content-length", "10")+framed(h3frame.Data, "hello"))
			time.Sleep(20 * time.Millisecond)
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestCancelled))
		}, want: "H3_REQUEST_CANCELLED"},
		{name: "the end", streams: func(c *quicServer, _ *quic.Stream) { c.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "") }, want: "closed by the server"},
		{name: "sent away", streams: func(c *quicServer, _ *quic.Stream) {
			c.CloseWithError(quic.ApplicationErrorCode(h3frame.ExcessiveLoad), "slow down")
		}, want: "H3_EXCESSIVE_LOAD"},
		{name: "no settings", begins: begins("\x00" + framed(0x21, "")), streams: silent, want: "H3_MISSING_SETTINGS"},
		{name: "settings twice", streams: controls(settings), want: "H3_FRAME_UNEXPECTED"},
		{name: "a setting twice", begins: begins("\x00" + framed(h3frame.Settings, "\x06\x01\x06\x02")), streams: silent, want: "H3_SETTINGS_ERROR"},
		{name: "a setting of HTTP/2", begins: begins("\x00" + framed(h3frame.Settings, "\x02\x00")), streams: silent, want: "H3_SETTINGS_ERROR"},
		{name: "half a setting", begins: begins("\x00" + framed(h3frame.Settings, "\x06")), streams: silent, want: "H3_FRAME_ERROR"},
		{name: "two control streams", streams: func(c *quicServer, _ *quic.Stream) { c.uni("\x00" + settings) }, want: "H3_STREAM_CREATION_ERROR"},
		{name: "the control stream ends", streams: func(c *quicServer, _ *quic.Stream) { c.control.Close() }, want: "H3_CLOSED_CRITICAL_STREAM"},
		{name: "the control stream is reset", streams: func(c *quicServer, _ *quic.Stream) {
			time.Sleep(100 * time.Millisecond) // until it is known for what it is
			c.control.CancelWrite(0)
		}, want: "H3_CLOSED_CRITICAL_STREAM"},
		{name: "content on the control stream", streams: controls(framed(h3frame.Data, "abc")), want: "H3_FRAME_UNEXPECTED"},
		{name: "a limit for pushes", streams: controls(framed(h3frame.MaxPushID, "\x05")), want: "H3_FRAME_UNEXPECTED"},
		{name: "GOAWAY with the number of another kind", streams: controls(framed(h3frame.GoAway, "\x01")), want: "H3_ID_ERROR"},
		{name: "GOAWAY that grows", streams: controls(framed(h3frame.GoAway, "\x40\x40") + framed(h3frame.GoAway, "\x40\x80")), want: "H3_ID_ERROR"},
		{name: "a push stream", streams: func(c *quicServer, _ *quic.Stream) { c.uni("\x01\x00") }, want: "H3_ID_ERROR"},
		{name: "a stream for requests of the server", streams: func(c *quicServer, _ *quic.Stream) {
			if st, err := c.OpenStream(); err == nil {
				io.WriteString(st, section(":method", "GET"))
			}
		}, want: "H3_STREAM_CREATION_ERROR"},
		{name: "an instruction for a table", streams: func(c *quicServer, _ *quic.Stream) { c.uni("\x02\x3f\xe1\x1f") }, want: "QPACK_ENCODER_STREAM_ERROR"},
		{name: "an acknowledgement of nothing", streams: func(c *quicServer, _ *quic.Stream) { c.uni("\x03\x80") }, want: "QPACK_DECODER_STREAM_ERROR"},
		{name: "interim heads", streams: flood("", section(":status", "103")), want: "informational responses"},
		{name: "empty content", streams: flood(ok, framed(h3frame.Data, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "unknown frames", streams: flood(ok, framed(0x21, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "a frame of an unknown type without end", streams: flood(ok+beginning(0x21, math.MaxInt64>>2, ""), "x"), want: "H3_EXCESSIVE_LOAD"},
		{name: "unknown frames on the control stream", streams: controlFlood(framed(0x21, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "GOAWAYs", streams: controlFlood(framed(h3frame.GoAway, "\x40\x40")), want: "H3_EXCESSIVE_LOAD"},
		{name: "unknown streams", streams: func(c *quicServer, _ *quic.Stream) {
			for err := error(nil); err == nil; {
				var st *quic.SendStream
				if st, err = c.OpenUniStreamSync(c.Context()); err == nil {
					io.WriteString(st, "\x21x")
					st.Close()
				}
			}
		}, want: "H3_EXCESSIVE_LOAD"},
		{name: "an answer among unknown frames", streams: says(framed(0x21, "abc") + ok + framed(0x21, "") + framed(h3frame.Data, "abc") + framed(0x42, "xyz")), body: "abc"},
		{name: "an answer behind interim heads", streams: says(section(":status", "103", "link", "</a>") + section(":status", "100") + ok + framed(h3frame.Data, "abc")), body: "abc"},
		{name: "an answer with trailers", streams: says(ok + framed(h3frame.Data, "abc") + section("x", "y")), body: "abc"},
	}, overUDP, "-h3", "-k")
}

// TestGetOverHTTP3EndsInTime: servers that say nothing, or not enough.
func TestGetOverHTTP3EndsInTime(t *testing.T) {
	t.Parallel()
	const late = "taken too long"
	drip := func(first, piece string) func(*quicServer, *quic.Stream) {
		return func(_ *quicServer, st *quic.Stream) {
			_, err := io.WriteString(st, first)
			for err == nil {
				time.Sleep(20 * time.Millisecond)
				_, err = io.WriteString(st, piece)
			}
		}
	}
	ok := section(":status", "200")
	facingEach(t, 2*time.Second, []hostile{
		{name: "silence", streams: func(*quicServer, *quic.Stream) {}, want: late},
		{name: "no control stream", begins: func(*quicServer) {}, streams: func(*quicServer, *quic.Stream) {}, want: late},
		{name: "half a head", streams: drip(beginning(h3frame.Headers, 1000, "\x00\x00\xd9"), ""), want: late},
		{name: "a head in drops", streams: drip(beginning(h3frame.Headers, 1000, "\x00\x00\xd9"), "\xc4"), want: late},
		{name: "content in drops", streams: drip(ok, framed(h3frame.Data, "x")), want: late},
		{name: "half a frame", streams: drip(ok+beginning(h3frame.Data, 1000, ""), "x"), want: late},
		{name: "rejected for ever", streams: func(_ *quicServer, st *quic.Stream) {
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestRejected))
		}, want: late},
	}, overUDP, "-h3", "-k")
}
