package hostile

import (
	"bytes"
	"io"
	"math"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/quic-go/quic-go"
	"github.com/quic-go/quic-go/http3"

	"github.com/shockwave-go/shockwave/compat/internal/h3server"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// next is the right response.
var next = h3server.Section(":status", "200", "content-length", "4") + h3server.Framed(h3frame.Data, "next")

// serveHTTP3 responds to requests on a connection: h's by what h does with streams, others as it should.
func (h *hostile) serveHTTP3(qc *quic.Conn) {
	c := &h3server.Conn{Conn: qc}
	if h.begins != nil && h.conns.Add(1) == 1 {
		h.begins(c)
	} else {
		c.Control = c.Uni("\x00" + h3server.Framed(h3frame.Settings, ""))
	}
	for {
		st, err := c.AcceptStream(c.Context())
		if err != nil {
			return
		}
		go func() {
			if h.streams != nil && h3server.Path(st) == "/bad" {
				h.streams(c, st)
				return
			}
			io.WriteString(st, next)
			st.Close()
		}()
	}
}

// overUDP is the carrier of servers that speak HTTP/3.
var overUDP = carrier{
	run: func(t *testing.T, h *hostile) string {
		pc, cfg, url := h3server.ListenUDP(t)
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
		pc, cfg, url := h3server.ListenUDP(t)
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

// Streams and frames that break the rules of HTTP/3, and floods of frames that keep them, are refused.
func TestGetRefusesHTTP3(t *testing.T) {
	says := func(s string) func(*h3server.Conn, *quic.Stream) { // and ends the stream
		return func(_ *h3server.Conn, st *quic.Stream) {
			io.WriteString(st, s)
			st.Close()
		}
	}
	flood := func(first, piece string) func(*h3server.Conn, *quic.Stream) {
		many := bytes.Repeat([]byte(piece), 1+16<<10/len(piece))
		return func(_ *h3server.Conn, st *quic.Stream) {
			_, err := io.WriteString(st, first)
			for err == nil {
				_, err = st.Write(many)
			}
		}
	}
	controls := func(s string) func(*h3server.Conn, *quic.Stream) { // on the control stream
		return func(c *h3server.Conn, _ *quic.Stream) { io.WriteString(c.Control, s) }
	}
	controlFlood := func(piece string) func(*h3server.Conn, *quic.Stream) {
		many := bytes.Repeat([]byte(piece), 1+4<<10/len(piece))
		return func(c *h3server.Conn, _ *quic.Stream) {
			for err := error(nil); err == nil; {
				_, err = c.Control.Write(many)
			}
		}
	}
	begins := func(s string) func(*h3server.Conn) { return func(c *h3server.Conn) { c.Uni(s) } }
	silent := func(*h3server.Conn, *quic.Stream) {}
	ok := h3server.Section(":status", "200")
	settings := h3server.Framed(h3frame.Settings, "")
	facing(t, time.Minute, []hostile{
		{name: "nothing", streams: says(""), want: "ends too early"},
		{name: "no status", streams: says(h3server.Section("x", "y")), want: "H3_MESSAGE_ERROR"},
		{name: "two statuses", streams: says(h3server.Section(":status", "200", ":status", "200")), want: "H3_MESSAGE_ERROR"},
		{name: "a status of two digits", streams: says(h3server.Section(":status", "20")), want: "H3_MESSAGE_ERROR"},
		{name: "a switch of protocols", streams: says(h3server.Section(":status", "101")), want: "H3_MESSAGE_ERROR"},
		{name: "a request", streams: says(h3server.Section(":method", "GET", ":path", "/")), want: "H3_MESSAGE_ERROR"},
		{name: "a pseudo-field behind another field", streams: says(h3server.Section("x", "y", ":status", "200")), want: "H3_MESSAGE_ERROR"},
		{name: "a name in capitals", streams: says(h3server.Section(":status", "200", "X", "y")), want: "H3_MESSAGE_ERROR"},
		{name: "a field of HTTP/1.1", streams: says(h3server.Section(":status", "200", "transfer-encoding", "chunked")), want: "H3_MESSAGE_ERROR"},
		{name: "a value with a line's end", streams: says(h3server.Section(":status", "200", "x", "a\r\nb: c")), want: "H3_MESSAGE_ERROR"},
		{name: "two lengths", streams: says(h3server.Section(":status", "200", "content-length", "3", "content-length", "4") + h3server.Framed(h3frame.Data, "abc")), want: "H3_MESSAGE_ERROR"},
		{name: "a length that is none", streams: says(h3server.Section(":status", "200", "content-length", "-1")), want: "H3_MESSAGE_ERROR"},
		{name: "less than was said", streams: says(h3server.Section(":status", "200", "content-length", "1099511627776") + h3server.Framed(h3frame.Data, "abc")), want: "ends too early"},
		{name: "more than was said", streams: says(h3server.Section(":status", "200", "content-length", "3") + h3server.Framed(h3frame.Data, "abcd")), want: "H3_MESSAGE_ERROR"},
		{name: "no content, and some", streams: says(h3server.Section(":status", "204") + h3server.Framed(h3frame.Data, "evil")), want: "H3_MESSAGE_ERROR"},
		{name: "half a head", streams: says(h3server.Beginning(h3frame.Headers, 100, "\x00\x00\xd9")), want: "H3_FRAME_ERROR"},
		{name: "half a frame of content", streams: says(ok + h3server.Beginning(h3frame.Data, 100, "abc")), want: "H3_FRAME_ERROR"},
		{name: "a frame said to be as long as can be", streams: says(h3server.Beginning(h3frame.Headers, h3frame.MaxVarint, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "content first", streams: says(h3server.Framed(h3frame.Data, "abc")), want: "H3_FRAME_UNEXPECTED"},
		{name: "content after the trailers", streams: says(ok + h3server.Section("x", "y") + h3server.Framed(h3frame.Data, "abc")), want: "H3_FRAME_UNEXPECTED"},
		{name: "a status in the trailers", streams: says(ok + h3server.Section(":status", "200")), want: "H3_MESSAGE_ERROR"},
		{name: "settings on a request", streams: says(settings), want: "H3_FRAME_UNEXPECTED"},
		{name: "a frame of HTTP/2", streams: says(ok + h3server.Framed(0x06, "12345678")), want: "H3_FRAME_UNEXPECTED"},
		{name: "a push", streams: says(h3server.Framed(h3frame.PushPromise, "\x00\x00\x00\xd9")), want: "H3_ID_ERROR"},
		{name: "a section that is none", streams: says(h3server.Framed(h3frame.Headers, "\xff\xff\xff")), want: "QPACK_DECOMPRESSION_FAILED"},
		{name: "a field of a table that is not there", streams: says(h3server.Framed(h3frame.Headers, "\x01\x00\x80")), want: "QPACK_DECOMPRESSION_FAILED"},
		{name: "an index beyond the static table", streams: says(h3server.Framed(h3frame.Headers, "\x00\x00\xff\xff\x01")), want: "QPACK_DECOMPRESSION_FAILED"},
		{name: "a large head", streams: says(h3server.Section(":status", "200", "x", strings.Repeat("y", 4<<20))), want: "H3_EXCESSIVE_LOAD"},
		{name: "many fields", streams: says(h3server.Framed(h3frame.Headers, "\x00\x00\xd9"+strings.Repeat("\xc4", 200_000))), want: "H3_EXCESSIVE_LOAD"},
		{name: "a stream reset", streams: func(_ *h3server.Conn, st *quic.Stream) { st.CancelWrite(quic.StreamErrorCode(h3frame.InternalError)) }, want: "H3_INTERNAL_ERROR"},
		{name: "a stream reset in its body", streams: func(_ *h3server.Conn, st *quic.Stream) {
			io.WriteString(st, h3server.Section(":status", "200", "content-length", "10")+h3server.Framed(h3frame.Data, "hello"))
			time.Sleep(20 * time.Millisecond)
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestCancelled))
		}, want: "H3_REQUEST_CANCELLED"},
		{name: "the end", streams: func(c *h3server.Conn, _ *quic.Stream) {
			c.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "")
		}, want: "closed by the server"},
		{name: "sent away", streams: func(c *h3server.Conn, _ *quic.Stream) {
			c.CloseWithError(quic.ApplicationErrorCode(h3frame.ExcessiveLoad), "slow down")
		}, want: "H3_EXCESSIVE_LOAD"},
		{name: "no settings", begins: begins("\x00" + h3server.Framed(0x21, "")), streams: silent, want: "H3_MISSING_SETTINGS"},
		{name: "settings twice", streams: controls(settings), want: "H3_FRAME_UNEXPECTED"},
		{name: "a setting twice", begins: begins("\x00" + h3server.Framed(h3frame.Settings, "\x06\x01\x06\x02")), streams: silent, want: "H3_SETTINGS_ERROR"},
		{name: "a setting of HTTP/2", begins: begins("\x00" + h3server.Framed(h3frame.Settings, "\x02\x00")), streams: silent, want: "H3_SETTINGS_ERROR"},
		{name: "half a setting", begins: begins("\x00" + h3server.Framed(h3frame.Settings, "\x06")), streams: silent, want: "H3_FRAME_ERROR"},
		{name: "two control streams", streams: func(c *h3server.Conn, _ *quic.Stream) { c.Uni("\x00" + settings) }, want: "H3_STREAM_CREATION_ERROR"},
		{name: "the control stream ends", streams: func(c *h3server.Conn, _ *quic.Stream) { c.Control.Close() }, want: "H3_CLOSED_CRITICAL_STREAM"},
		{name: "the control stream is reset", streams: func(c *h3server.Conn, _ *quic.Stream) {
			time.Sleep(100 * time.Millisecond) // until it is known for what it is
			c.Control.CancelWrite(0)
		}, want: "H3_CLOSED_CRITICAL_STREAM"},
		{name: "content on the control stream", streams: controls(h3server.Framed(h3frame.Data, "abc")), want: "H3_FRAME_UNEXPECTED"},
		{name: "a limit for pushes", streams: controls(h3server.Framed(h3frame.MaxPushID, "\x05")), want: "H3_FRAME_UNEXPECTED"},
		{name: "GOAWAY with the number of another kind", streams: controls(h3server.Framed(h3frame.GoAway, "\x01")), want: "H3_ID_ERROR"},
		{name: "GOAWAY that grows", streams: controls(h3server.Framed(h3frame.GoAway, "\x40\x40") + h3server.Framed(h3frame.GoAway, "\x40\x80")), want: "H3_ID_ERROR"},
		{name: "a push stream", streams: func(c *h3server.Conn, _ *quic.Stream) { c.Uni("\x01\x00") }, want: "H3_ID_ERROR"},
		{name: "a stream for requests of the server", streams: func(c *h3server.Conn, _ *quic.Stream) {
			if st, err := c.OpenStream(); err == nil {
				io.WriteString(st, h3server.Section(":method", "GET"))
			}
		}, want: "H3_STREAM_CREATION_ERROR"},
		{name: "an instruction for a table", streams: func(c *h3server.Conn, _ *quic.Stream) { c.Uni("\x02\x3f\xe1\x1f") }, want: "QPACK_ENCODER_STREAM_ERROR"},
		{name: "an acknowledgement of nothing", streams: func(c *h3server.Conn, _ *quic.Stream) { c.Uni("\x03\x80") }, want: "QPACK_DECODER_STREAM_ERROR"},
		{name: "interim heads", streams: flood("", h3server.Section(":status", "103")), want: "informational responses"},
		{name: "empty content", streams: flood(ok, h3server.Framed(h3frame.Data, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "unknown frames", streams: flood(ok, h3server.Framed(0x21, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "a frame of an unknown type without end", streams: flood(ok+h3server.Beginning(0x21, math.MaxInt64>>2, ""), "x"), want: "H3_EXCESSIVE_LOAD"},
		{name: "unknown frames on the control stream", streams: controlFlood(h3server.Framed(0x21, "")), want: "H3_EXCESSIVE_LOAD"},
		{name: "GOAWAYs", streams: controlFlood(h3server.Framed(h3frame.GoAway, "\x40\x40")), want: "H3_EXCESSIVE_LOAD"},
		{name: "unknown streams", streams: func(c *h3server.Conn, _ *quic.Stream) {
			for err := error(nil); err == nil; {
				var st *quic.SendStream
				if st, err = c.OpenUniStreamSync(c.Context()); err == nil {
					io.WriteString(st, "\x21x")
					st.Close()
				}
			}
		}, want: "H3_EXCESSIVE_LOAD"},
		{name: "a response among unknown frames", streams: says(h3server.Framed(0x21, "abc") + ok + h3server.Framed(0x21, "") + h3server.Framed(h3frame.Data, "abc") + h3server.Framed(0x42, "xyz")), body: "abc"},
		{name: "a response after interim heads", streams: says(h3server.Section(":status", "103", "link", "</a>") + h3server.Section(":status", "100") + ok + h3server.Framed(h3frame.Data, "abc")), body: "abc"},
		{name: "a response with trailers", streams: says(ok + h3server.Framed(h3frame.Data, "abc") + h3server.Section("x", "y")), body: "abc"},
	}, overUDP, "-h3", "-k")
}

// Servers that send nothing or too little over HTTP/3 are given up in time.
func TestGetOverHTTP3EndsInTime(t *testing.T) {
	t.Parallel()
	const late = "taken too long"
	drip := func(first, piece string) func(*h3server.Conn, *quic.Stream) {
		return func(_ *h3server.Conn, st *quic.Stream) {
			_, err := io.WriteString(st, first)
			for err == nil {
				time.Sleep(20 * time.Millisecond)
				_, err = io.WriteString(st, piece)
			}
		}
	}
	ok := h3server.Section(":status", "200")
	facingEach(t, 2*time.Second, []hostile{
		{name: "silence", streams: func(*h3server.Conn, *quic.Stream) {}, want: late},
		{name: "no control stream", begins: func(*h3server.Conn) {}, streams: func(*h3server.Conn, *quic.Stream) {}, want: late},
		{name: "half a head", streams: drip(h3server.Beginning(h3frame.Headers, 1000, "\x00\x00\xd9"), ""), want: late},
		{name: "a head in drops", streams: drip(h3server.Beginning(h3frame.Headers, 1000, "\x00\x00\xd9"), "\xc4"), want: late},
		{name: "content in drops", streams: drip(ok, h3server.Framed(h3frame.Data, "x")), want: late},
		{name: "half a frame", streams: drip(ok+h3server.Beginning(h3frame.Data, 1000, ""), "x"), want: late},
		{name: "rejected for ever", streams: func(_ *h3server.Conn, st *quic.Stream) {
			st.CancelWrite(quic.StreamErrorCode(h3frame.RequestRejected))
		}, want: late},
	}, overUDP, "-h3", "-k")
}
