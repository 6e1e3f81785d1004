package hostile

import (
	"strings"
	"testing"
	"time"

	"golang.org/x/net/http2"
)

// raw is a piece that is written as it stands.
func raw(b []byte) func(*framer, uint32) { return func(c *framer, _ uint32) { c.nc.Write(b) } }

// block is a header section as it stands.
func block(b string) func(*framer, uint32) {
	return func(c *framer, id uint32) {
		c.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte(b), EndHeaders: true, EndStream: true})
	}
}

// Misplaced frames, malformed heads and settings that a server may not have are refused.
func TestGetRefusesStreams(t *testing.T) {
	heads := func(lines ...string) func(*framer, uint32) {
		return func(c *framer, id uint32) { c.head(id, true, lines...) }
	}
	setting := func(id http2.SettingID, v uint32) func(*framer, uint32) {
		return func(c *framer, _ uint32) { c.WriteSettings(http2.Setting{ID: id, Val: v}) }
	}
	facing(t, time.Minute, []hostile{
		{name: "a stream of the server's", frames: func(c *framer, _ uint32) { c.head(2, true, ":status", "200") }, want: " error: "},
		{name: "data of a stream that nobody opened", frames: raw(frame(http2.FrameData, 0, 9, "evil")), want: " error: "},
		{name: "a reset of a stream that nobody opened", frames: raw(frame(http2.FrameRSTStream, 0, 9, "\x00\x00\x00\x08")), want: " error: "},
		{name: "a window of a stream that nobody opened", frames: raw(frame(http2.FrameWindowUpdate, 0, 9, "\x00\x00\x00\x08")), want: " error: "},
		{name: "data of no stream", frames: raw(frame(http2.FrameData, 0, 0, "evil")), want: " error: "},
		{name: "a head of no stream", frames: raw(frame(http2.FrameHeaders, http2.FlagHeadersEndHeaders, 0, head200)), want: " error: "},
		{name: "a reset of no stream", frames: raw(frame(http2.FrameRSTStream, 0, 0, "\x00\x00\x00\x08")), want: " error: "},
		{name: "a ping of a stream", frames: raw(frame(http2.FramePing, 0, 1, "12345678")), want: " error: "},
		{name: "settings of a stream", frames: raw(frame(http2.FrameSettings, 0, 1, "")), want: " error: "},
		{name: "the end of a stream's connection", frames: raw(frame(http2.FrameGoAway, 0, 1, "\x00\x00\x00\x01\x00\x00\x00\x00")), want: " error: "},
		{name: "a ping of 7 bytes", frames: raw(frame(http2.FramePing, 0, 0, "1234567")), want: " error: "},
		{name: "a window of 3 bytes", frames: raw(frame(http2.FrameWindowUpdate, 0, 0, "\x00\x00\x01")), want: " error: "},
		{name: "a reset of 3 bytes", frames: raw(frame(http2.FrameRSTStream, 0, 1, "\x00\x00\x01")), want: " error: "},
		{name: "an end of 7 bytes", frames: raw(frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00\x01\x00\x00\x00")), want: " error: "},
		{name: "an acknowledgement of something", frames: raw(frame(http2.FrameSettings, http2.FlagSettingsAck, 0, "\x00\x03\x00\x00\x00\x64")), want: " error: "},
		{name: "a continuation of nothing", frames: raw(frame(http2.FrameContinuation, http2.FlagContinuationEndHeaders, 1, head200)), want: " error: "},
		{name: "pushes that are allowed", frames: setting(http2.SettingEnablePush, 1), want: " error: "},
		{name: "frames of 1 byte", frames: setting(http2.SettingMaxFrameSize, 1), want: " error: "},
		{name: "frames of 2 GiB", frames: setting(http2.SettingMaxFrameSize, 1<<31), want: " error: "},
		{name: "a table of 4 GiB", frames: func(c *framer, id uint32) {
			c.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: 1<<32 - 1})
			c.head(id, false, ":status", "200")
			c.WriteData(id, true, []byte("fine"))
		}, body: "fine"},
		{name: "a table that is larger than allowed", frames: block("\x3f\xff\xff\x03" + head200), want: " error: "},
		{name: "a table that changes after a field", frames: block(head200 + "\x20"), want: " error: "},
		{name: "an index of 0", frames: block("\x80"), want: " error: "},
		{name: "half a field", frames: block(head200 + "\x00\x05ab"), want: " error: "},
		{name: "a Huffman code that is none", frames: block(head200 + "\x00\x01x\x84\xff\xff\xff\xff"), want: " error: "},
		{name: "two statuses", frames: heads(":status", "200", ":status", "200"), want: " error: "},
		{name: "a status after a field", frames: heads("x", "y", ":status", "200"), want: " error: "},
		{name: "an unknown pseudo-field", frames: heads(":status", "200", ":x", "y"), want: " error: "},
		{name: "an empty name", frames: block(head200 + "\x00\x00\x01y"), want: " error: "},
		{name: "a name with a blank", frames: heads(":status", "200", "a b", "c"), want: " error: "},
		{name: "a connection's field", frames: heads(":status", "200", "connection", "close"), want: " error: "},
		{name: "a status that is none", frames: heads(":status", "2x0"), want: " error: "},
		{name: "an interim head at the end", frames: heads(":status", "103"), want: " error: "},
		{name: "a length of 2^64 and 3", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "18446744073709551619")
			c.WriteData(id, true, []byte("abc"))
		}, want: " error: "},
		{name: "no body, and a length", frames: heads(":status", "200", "content-length", "3"), want: " error: "},
		{name: "a body after its end", frames: func(c *framer, id uint32) {
			c.head(id, true, ":status", "200")
			c.WriteData(id, true, []byte("evil"))
		}, or: " error: ", stays: true},
		{name: "trailers after the end", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200")
			c.WriteData(id, true, []byte("abc"))
			c.head(id, true, "x", "y")
		}, body: "abc", or: " error: ", stays: true},
		{name: "gzip that becomes too much", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-encoding", "zstd")
			c.WriteData(id, true, []byte(zstdBomb))
		}, want: "decompressed body too large"},
	}, overTCP((*hostile).serveHTTP2), "-h2")
}

// Servers that keep the rules and serve nothing are refused.
func TestGetRefusesGames(t *testing.T) {
	many := func(f func(c *framer, id uint32) []byte) func(*framer, uint32) {
		return func(c *framer, id uint32) { c.flood(f(c, id)) }
	}
	facing(t, time.Minute, []hostile{
		{name: "pushes", frames: many(func(c *framer, id uint32) []byte {
			return frame(http2.FramePushPromise, http2.FlagPushPromiseEndHeaders, id, "\x00\x00\x00\x02"+string(c.fields(":method", "GET", ":path", "/")))
		}), want: " error: "},
		{name: "ends", frames: many(func(_ *framer, id uint32) []byte {
			return frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00"+string(rune(id))+"\x00\x00\x00\x00")
		}), want: " error: "},
		{name: "a reason of 16 KiB, again and again", frames: many(func(_ *framer, id uint32) []byte {
			return frame(http2.FrameGoAway, 0, 0, "\x00\x00\x00"+string(rune(id))+"\x00\x00\x00\x00"+strings.Repeat("x", 16<<10-8))
		}), want: " error: "},
		{name: "the end, and then the response", frames: func(c *framer, id uint32) {
			c.WriteGoAway(id, http2.ErrCodeNo, nil)
			c.head(id, false, ":status", "200")
			c.WriteData(id, true, []byte("last"))
		}, body: "last"},
		{name: "windows that grow and shrink", frames: many(func(*framer, uint32) []byte {
			const grows, shrinks = "\x00\x04\x7f\xff\xff\xff", "\x00\x04\x00\x00\x00\x00"
			return append(frame(http2.FrameSettings, 0, 0, grows), frame(http2.FrameSettings, 0, 0, shrinks)...)
		}), want: " error: "},
		{name: "tables that grow and shrink", frames: many(func(*framer, uint32) []byte {
			const grows, shrinks = "\x00\x01\xff\xff\xff\xff", "\x00\x01\x00\x00\x00\x00"
			return append(frame(http2.FrameSettings, 0, 0, grows), frame(http2.FrameSettings, 0, 0, shrinks)...)
		}), want: " error: "},
		{name: "a body by the byte, without end", frames: func(c *framer, id uint32) {
			c.head(id, false, ":status", "200", "content-length", "3")
			c.flood(frame(http2.FrameData, 0, id, "x"))
		}, want: " error: ", stays: true},
	}, overTCP((*hostile).serveHTTP2), "-h2")
}

// Servers that always have a reason for another try are given up in time.
func TestGetGamesEndInTime(t *testing.T) {
	t.Parallel()
	const late = "taken too long"
	facingEach(t, 2*time.Second, []hostile{
		{name: "no streams", bad: held(string(frame(http2.FrameSettings, 0, 0, "\x00\x03\x00\x00\x00\x00"))), frames: func(*framer, uint32) {}, stays: true, want: late},
		{name: "settings that are not acknowledged", bad: held(string(frame(http2.FrameSettings, 0, 0, ""))), stays: true, want: late},
		{name: "an end that is taken back", frames: func(c *framer, id uint32) {
			c.WriteGoAway(id, http2.ErrCodeNo, nil)
			c.WriteGoAway(id+2, http2.ErrCodeNo, nil)
		}, want: late},
		{name: "windows by the byte", frames: func(c *framer, id uint32) {
			for err := error(nil); err == nil; err = c.WriteWindowUpdate(id, 1) {
				time.Sleep(20 * time.Millisecond)
			}
		}, stays: true, want: late},
	}, overTCP((*hostile).serveHTTP2), "-h2")
}
