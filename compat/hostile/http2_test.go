package hostile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// framer is a connection of HTTP/2 as a server sees it, which writes whatever it likes.
type framer struct {
	*http2.Framer
	nc    net.Conn
	block bytes.Buffer
	codec *hpack.Encoder
}

// held is how a connection begins that stays until the client ends it.
func held(s string) func(net.Conn) bool {
	return func(nc net.Conn) bool {
		io.WriteString(nc, s)
		io.Copy(io.Discard, nc)
		return false
	}
}

// serveHTTP2 responds to requests on a connection: h's by what h does with frames, others as it should.
func (h *hostile) serveHTTP2(nc net.Conn) {
	if h.bad != nil && h.conns.Add(1) == 1 && !h.bad(nc) {
		return
	}
	if _, err := io.ReadFull(nc, make([]byte, len(http2.ClientPreface))); err != nil {
		return
	}
	c := &framer{Framer: http2.NewFramer(nc, nc), nc: nc}
	c.AllowIllegalWrites = true
	c.ReadMetaHeaders = hpack.NewDecoder(4096, nil)
	c.codec = hpack.NewEncoder(&c.block)
	c.WriteSettings()
	for {
		f, err := c.ReadFrame()
		if err != nil {
			return
		}
		switch f := f.(type) {
		case *http2.SettingsFrame:
			if !f.IsAck() {
				c.WriteSettingsAck()
			}
		case *http2.PingFrame:
			if !f.IsAck() {
				c.WritePing(true, f.Data)
			}
		case *http2.MetaHeadersFrame:
			switch {
			case f.PseudoValue("path") == "/next":
				c.head(f.StreamID, false, ":status", "200", "content-length", "4")
				c.WriteData(f.StreamID, true, []byte("next"))
			case h.frames == nil: // the first connection broke before the request was sent, which may come again then
				if h.want == " error: " {
					nc.Write([]byte("HTTP/1.1 400 Bad Request\r\n\r\n"))
					io.Copy(io.Discard, nc)
				}
				return
			default:
				h.frames(c, f.StreamID)
			}
		}
	}
}

// fields is a header block.
func (c *framer) fields(lines ...string) []byte {
	c.block.Reset()
	for i := 0; i < len(lines); i += 2 {
		c.codec.WriteField(hpack.HeaderField{Name: lines[i], Value: lines[i+1]})
	}
	return bytes.Clone(c.block.Bytes())
}

// head writes a HEADERS frame.
func (c *framer) head(id uint32, end bool, lines ...string) error {
	return c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: c.fields(lines...), EndHeaders: true, EndStream: end})
}

// flood writes the same until the client has enough of it.
func (c *framer) flood(frame []byte) {
	many := bytes.Repeat(frame, 1+16<<10/len(frame))
	for {
		if _, err := c.nc.Write(many); err != nil {
			return
		}
	}
}

// frame is a frame as it stands on the wire.
func frame(kind http2.FrameType, flags http2.Flags, id uint32, payload string) []byte {
	b := []byte{byte(len(payload) >> 16), byte(len(payload) >> 8), byte(len(payload)), byte(kind), byte(flags)}
	return append(binary.BigEndian.AppendUint32(b, id), payload...)
}

// head200 is a head in the static table.
const head200 = "\x88"

// Frames that break the rules of HTTP/2, and floods of frames that keep them, are refused.
func TestGetRefusesFrames(t *testing.T) {
	flood := func(f []byte) func(*framer, uint32) { return func(c *framer, _ uint32) { c.flood(f) } }
	floods := func(f func(id uint32) []byte) func(*framer, uint32) {
		return func(c *framer, id uint32) { c.flood(f(id)) }
	}
	facing(t, time.Minute, []hostile{
		{name: "garbage", bad: held("\x00\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c"), want: " error: "},
		{name: "HTTP/1.1", bad: held("HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), want: " error: "},
		{name: "nothing", bad: cut(""), want: "too early", or: "reset"},
		{name: "no settings", bad: held(string(frame(http2.FramePing, 0, 0, "12345678"))), want: " error: "},
		{name: "the end", frames: func(c *framer, _ uint32) { c.nc.Close() }, want: "too early", or: "reset"},
		{name: "a frame too large", frames: func(c *framer, id uint32) { c.WriteRawFrame(http2.FrameData, 0, id, make([]byte, 1<<20)) }, want: " error: "},
		{name: "a frame said to be 16 MiB", frames: func(c *framer, id uint32) { c.nc.Write([]byte("\xff\xff\xff\x00\x00\x00\x00\x00\x01")) }, want: " error: "},
		{name: "a stream that nobody opened", frames: func(c *framer, id uint32) { c.head(id+2, true, ":status", "200") }, want: " error: "},
		{name: "a push", frames: func(c *framer, id uint32) {
			c.WritePushPromise(http2.PushPromiseParam{StreamID: id, PromiseID: 2, BlockFragment: c.fields(":method", "GET", ":scheme", "http", ":authority", "a", ":path", "/"), EndHeaders: true})
		}, want: " error: "},
		{name: "a body without a head", frames: func(c *framer, id uint32) { c.WriteData(id, true, []byte("hello")) }, want: " error: "},
		{name: "no status", frames: func(c *framer, id uint32) { c.head(id, true, "x", "y") }, want: " error: "},
		{name: "a status of two digits", frames: func(c *framer, id uint32) { c.head(id, true, ":status", "20") }, want: " error: "},
		{name: "a switch of protocols", frames: func(c *framer, id uint32) { c.head(id, true, ":status", "101") }, want: " error: "},
		{name: "a request", frames: func(c *framer, id uint32) { c.head(id, true, ":method", "GET", ":path", "/") }, want: " error: "},
		{name: "a name in capitals", frames: func(c *framer, id uint32) { c.head(id, true, ":status", "200", "X", "y") }, want: " error: "},
		{name: "a field of HTTP/1.1", frames: func(c *framer, id uint32) { c.head(id, true, ":status", "200", "transfer-encoding", "chunked") }, want: " error: "},
		{name: "a value with a line's end", frames: func(c *framer, id uint32) { c.head(id, true, ":status", "200", "x", "a\r\nb: c") }, want: " error: "},
		{name: "an index beyond the table", frames: func(c *framer, id uint32) {
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte("\x88\xff\x80\x80\x80\x08"), EndHeaders: true})
		}, want: " error: "},
		{name: "half a head", frames: func(c *framer, id uint32) {
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte(head200)})
			c.WritePing(false, [8]byte{})
		}, want: " error: "},
		{name: "a bomb of fields", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "x", strings.Repeat("y", 3000))
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: bytes.Repeat([]byte{0xbe}, 16<<10), EndHeaders: true, EndStream: true})
		}, want: " error: "},
		{name: "endless fields", frames: func(c *framer, id uint32) {
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte(head200)})
			c.flood(frame(http2.FrameContinuation, 0, id, "\x00\x01x\x01y"))
		}, want: " error: "},
		{name: "a field without end", frames: func(c *framer, id uint32) {
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte(head200 + "\x00\x01x\x7f\x80\x80\x80\x80\x04")})
			c.flood(frame(http2.FrameContinuation, 0, id, strings.Repeat("y", 8<<10)))
		}, want: " error: "},
		{name: "empty continuations", frames: func(c *framer, id uint32) {
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte(head200)})
			c.flood(frame(http2.FrameContinuation, 0, id, ""))
		}, want: " error: "},
		{name: "interim heads", frames: func(c *framer, id uint32) {
			c.flood(frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, id, string(c.fields(":status", "103"))))
		}, want: " error: ", or: "too many informational", stays: true},
		{name: "trailers in the middle", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.head(id, false, "x", "y")
		}, want: " error: "},
		{name: "a status in the trailers", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.head(id, true, ":status", "200")
		}, want: " error: "},
		{name: "less than was said", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "1099511627776")
			c.WriteData(id, true, []byte("abc"))
		}, want: "ends too early"},
		{name: "more than was said", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "3")
			c.WriteData(id, true, []byte("abcd"))
		}, want: " error: "},
		{name: "a length that is none", frames: func(c *framer, id uint32) { c.head(id, true, ":status", "200", "content-length", "-1") }, want: " error: "},
		{name: "two lengths", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "3", "content-length", "4")
			c.WriteData(id, true, []byte("abc"))
		}, want: " error: "},
		{name: "padding longer than the frame", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.nc.Write(frame(http2.FrameData, http2.FlagDataPadded, id, "\xffabc"))
		}, want: " error: "},
		{name: "a window of nothing", frames: func(c *framer, id uint32) { c.WriteWindowUpdate(id, 0) }, want: " error: "},
		{name: "a window too large", frames: func(c *framer, id uint32) { c.WriteWindowUpdate(0, 1<<31-1) }, want: " error: "},
		{name: "more than the window", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.flood(frame(http2.FrameData, 0, id, strings.Repeat("x", 16<<10)))
		}, stays: true, want: " error: "},
		{name: "a stream reset", frames: func(c *framer, id uint32) { c.WriteRSTStream(id, http2.ErrCodeInternal) }, want: "INTERNAL_ERROR"},
		{name: "a stream reset in its body", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "10")
			c.WriteData(id, false, []byte("hello"))
			c.WriteRSTStream(id, http2.ErrCodeCancel)
		}, want: "CANCEL"},
		{name: "gone away", frames: func(c *framer, id uint32) { c.WriteGoAway(0, http2.ErrCodeEnhanceYourCalm, []byte("go away")) }, want: "ENHANCE_YOUR_CALM"},
		{name: "a setting that is none", frames: func(c *framer, id uint32) {
			c.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: 1 << 31})
		}, want: " error: "},
		{name: "settings of 5 bytes", frames: flood(frame(http2.FrameSettings, 0, 0, "12345")), want: " error: "},
		{name: "settings", frames: flood(frame(http2.FrameSettings, 0, 0, "\x00\x03\x00\x00\x00\x64")), want: " error: "},
		{name: "empty settings", frames: flood(frame(http2.FrameSettings, 0, 0, "")), want: " error: "},
		{name: "acknowledgements", frames: flood(frame(http2.FrameSettings, http2.FlagSettingsAck, 0, "")), want: " error: "},
		{name: "pings", frames: flood(frame(http2.FramePing, 0, 0, "12345678")), want: " error: "},
		{name: "answers to pings", frames: flood(frame(http2.FramePing, http2.FlagPingAck, 0, "12345678")), want: " error: "},
		{name: "unknown frames", frames: flood(frame(0xfe, 0, 0, "12345678")), want: " error: "},
		{name: "priorities", frames: floods(func(id uint32) []byte { return frame(http2.FramePriority, 0, id, "\x00\x00\x00\x00\x10") }), want: " error: "},
		{name: "windows", frames: floods(func(id uint32) []byte { return frame(http2.FrameWindowUpdate, 0, id, "\x00\x00\x00\x01") }), want: " error: "},
		{name: "empty data", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.flood(frame(http2.FrameData, 0, id, ""))
		}, want: " error: "},
		{name: "padding only", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.flood(frame(http2.FrameData, http2.FlagDataPadded, id, "\x7f"+strings.Repeat("\x00", 127)))
		}, want: " error: "},
		{name: "resets of streams that have ended", frames: floods(func(id uint32) []byte { return frame(http2.FrameRSTStream, 0, id, "\x00\x00\x00\x08") }), want: " error: "},
		{name: "a whole response, and another", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.WriteData(id, true, []byte("abc"))
			c.head(id, false, ":status", "200")
			c.WriteData(id, true, []byte("evil"))
		}, body: "abc", or: " error: ", stays: true},
		{name: "no content, and some", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "204")
			c.WriteData(id, true, []byte("evil"))
		}, want: " error: "},
	}, overTCP((*hostile).serveHTTP2), "-h2")
}

// Servers that send nothing or too little over HTTP/2 are given up in time.
func TestGetOverHTTP2EndsInTime(t *testing.T) {
	t.Parallel()
	const late = "taken too long"
	drip := func(head bool, f func(id uint32) []byte) func(c *framer, id uint32) {
		return func(c *framer, id uint32) {
			var err error
			if head {
				err = c.head(id, false, ":status", "200")
			}
			for err == nil {
				time.Sleep(20 * time.Millisecond)
				_, err = c.nc.Write(f(id))
			}
		}
	}
	facingEach(t, 2*time.Second, []hostile{
		{name: "silence at first", bad: held(""), stays: true, want: late},
		{name: "silence", frames: func(*framer, uint32) {}, want: late},
		{name: "half a head", frames: func(c *framer, id uint32) {
			c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte(head200)})
		}, stays: true, want: late},
		{name: "half a frame", frames: func(c *framer, id uint32) { fmt.Fprintf(c.nc, "\x00\x10") }, stays: true, want: late},
		{name: "refused for ever", frames: func(c *framer, id uint32) { c.WriteRSTStream(id, http2.ErrCodeRefusedStream) }, want: late},
		{name: "gone, with an answer to come", frames: func(c *framer, id uint32) { c.WriteGoAway(id, http2.ErrCodeNo, nil) }, want: late},
		{name: "half a body", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "10")
			c.WriteData(id, false, []byte("hello"))
		}, want: late},
		{name: "a body by the byte", frames: drip(true, func(id uint32) []byte { return frame(http2.FrameData, 0, id, "x") }), stays: true, want: late},
		{name: "pings", frames: drip(false, func(id uint32) []byte { return frame(http2.FramePing, 0, 0, "12345678") }), stays: true, want: late},
		{name: "a body without end", frames: drip(true, func(id uint32) []byte { return frame(http2.FrameData, 0, id, string(make([]byte, 1000))) }), stays: true, want: late},
	}, overTCP((*hostile).serveHTTP2), "-h2")
}
