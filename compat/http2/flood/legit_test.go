package flood

import (
	"bytes"
	"fmt"
	"testing"

	"golang.org/x/net/http2"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// What honest clients do as often as they like, and looks like a flood.
func TestWhatIsNoFlood(t *testing.T) {
	for _, f := range []struct {
		name  string
		begin func(a *attacker)
		again func(a *attacker, i int)
		turns int

		answered bool // every turn is a stream that is answered
	}{
		{name: "every second request is given up", turns: 1000, again: func(a *attacker, i int) {
			if id := a.get("/"); i%2 == 0 {
				a.WriteRSTStream(id, http2.ErrCodeCancel)
			}
		}},
		{name: "a ping beside each request", answered: true, turns: 1000, again: func(a *attacker, i int) {
			a.get("/")
			a.WritePing(false, [8]byte{byte(i)})
		}},
		{name: "priorities beside each request", answered: true, turns: 1000, again: func(a *attacker, i int) {
			a.WritePriority(a.get("/"), http2.PriorityParam{Weight: 200})
		}},
		{name: "a body in small frames", turns: 2000, begin: func(a *attacker) { a.headers("POST", "/", false, true) },
			again: func(a *attacker, i int) { a.WriteData(1, false, []byte("ten bytes.")) }},
		{name: "many small uploads", answered: true, turns: 1000, again: func(a *attacker, i int) {
			a.WriteData(a.headers("POST", "/", false, true), true, []byte("hello"))
		}},
		{name: "fields in a CONTINUATION", answered: true, turns: 1000, again: func(a *attacker, i int) {
			id := a.headers("GET", "/", true, false)
			a.WriteContinuation(id, true, []byte("\x00\x03x-a\x01b"))
		}},
		{name: "fields that differ", answered: true, turns: 2000, again: func(a *attacker, i int) {
			a.headers("GET", fmt.Sprint("/", i), true, true, "cookie", string(bytes.Repeat([]byte{'a' + byte(i%26)}, 1000)))
		}},
		{name: "trailers", answered: true, turns: 1000, again: func(a *attacker, i int) {
			id := a.headers("POST", "/", false, true)
			a.WriteData(id, false, []byte("hello"))
			a.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: []byte("\x00\x03x-a\x01b"), EndStream: true, EndHeaders: true})
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			eachServer(t, 0, func(t *testing.T, s *server) {
				a := attack(t, s.addr)
				if f.begin != nil {
					f.begin(a)
				}
				for i := range f.turns {
					f.again(a, i)
					if i%20 == 19 { // few at a time: no more streams than every server allows, and answers are read
						got := a.ask(t)
						for a.reading = false; got.pong && f.answered && a.ended < i+1; a.reading = false {
							a.enough = i + 1 // an answer may come behind the ping's
							a.read()
							got = both.Receive(t, a.fate, "the answers")
							got.pong, a.enough = got.done, 0
						}
						if !got.pong {
							t.Fatalf("cut after %d: %v", i+1, &got)
						}
					}
				}
				s.others(t, 5)
			})
		})
	}
}
