package flood

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/net/http2"
)

// Honest clients whose frames look like a flood are not disconnected.
func TestWhatIsNoFlood(t *testing.T) { carriers(t, testWhatIsNoFlood) }

func testWhatIsNoFlood(t *testing.T, secure bool) {
	for _, f := range []struct {
		name  string
		begin func(a *attacker)
		again func(a *attacker, i int)
		turns int
		left  func(i int) bool // a turn's request gets no response, or may get none
	}{
		{name: "every second request is given up", turns: 1000, again: func(a *attacker, i int) {
			if id := a.get("/"); i%2 == 0 {
				a.WriteRSTStream(id, http2.ErrCodeCancel)
				a.given++
			}
		}, left: func(i int) bool { return i%2 == 0 }},
		{name: "a ping beside each request", turns: 1000, again: func(a *attacker, i int) {
			a.get("/")
			a.WritePing(false, [8]byte{byte(i)})
		}},
		{name: "priorities beside each request", turns: 1000, again: func(a *attacker, i int) {
			a.WritePriority(a.get("/"), http2.PriorityParam{Weight: 200})
		}},
		{name: "a body in small frames", turns: 2000, begin: func(a *attacker) { a.headers("POST", "/", false, true) },
			again: func(a *attacker, i int) { a.WriteData(1, false, []byte("ten bytes.")) }, left: func(int) bool { return true }},
		{name: "many small uploads", turns: 1000, again: func(a *attacker, i int) {
			a.WriteData(a.headers("POST", "/", false, true), true, []byte("hello"))
		}},
		{name: "fields in a CONTINUATION", turns: 1000, again: func(a *attacker, i int) {
			id := a.headers("GET", "/", true, false)
			a.WriteContinuation(id, true, []byte("\x00\x03x-a\x01b"))
		}},
		{name: "fields that differ", turns: 2000, again: func(a *attacker, i int) {
			a.headers("GET", fmt.Sprint("/", i), true, true, "cookie", string(bytes.Repeat([]byte{'a' + byte(i%26)}, 1000)))
		}},
		{name: "trailers", turns: 1000, again: func(a *attacker, i int) {
			id := a.headers("POST", "/", false, true)
			a.WriteData(id, false, []byte("hello"))
			a.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte("\x00\x03x-a\x01b"), EndStream: true, EndHeaders: true})
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			eachServer(t, secure, 0, func(t *testing.T, s *server) {
				a := attack(t, s)
				if f.begin != nil {
					f.begin(a)
				}
				a.awaited = map[uint32]bool{}
				for i := range f.turns {
					if f.left == nil || !f.left(i) {
						a.awaited[a.next] = true
					}
					f.again(a, i)
					if i%20 == 19 { // few at a time: no more streams than every server allows, and their responses are waited for
						if got := a.ask(t); !got.pong {
							t.Fatalf("cut after %d: %v", i+1, &got)
						}
						a.reading = false
						a.catchUp(t, 100)
					}
				}
				s.others(t, 5)
			})
		})
	}
}
