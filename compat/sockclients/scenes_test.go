package sockclients

import (
	"bytes"

	"github.com/shockwave-go/shockwave/streamsock"
)

// scene is what a socket sends to a client, what comes back, and how that ends at either side.
type scene struct {
	name     string
	cfg      streamsock.Config
	flags    string // of the job
	max      int    // of the client
	messages [][]byte
	text     bool     // they are sent as text; not with prefixed framing
	heard    [][]byte // what comes from the client
	bye      bool     // behind that the socket closes, with 4000
	ws, tcp  outcome
}

// outcome is what the client tells last and what the socket tells, as far as they begin so. {N} is a code that the client
// sends. An empty one is of a transport that cannot have the scene.
type outcome struct{ client, socket string }

// large is longer than what a connection takes at once.
const large = 1 << 20

var (
	sizes = [][]byte{[]byte("hello"), {}, fill(125), fill(126), {}, fill(65535), fill(65536), fill(large), []byte("last")}
	texts = [][]byte{[]byte("grüße 👋"), {}, bytes.Repeat([]byte("ü"), 40_000)}
)

var scenes = []scene{
	{
		name: "echo", flags: "e", messages: sizes, heard: sizes, bye: true,
		ws:  outcome{"end closed 4000 0 enough", "local 4000 enough"},
		tcp: outcome{"end eof 0 0 -", "local 0"},
	},
	{
		name: "the client closes", messages: [][]byte{[]byte("do:close 4001 bye")},
		ws:  outcome{"end local 4001 0 bye", "closed 4001 bye"},
		tcp: outcome{"end local 0 0 bye", "eof 0"},
	},
	{
		name: "too large for the socket", cfg: streamsock.Config{MaxMessage: 1000},
		messages: [][]byte{[]byte("do:send 1000"), []byte("do:send 1001")}, heard: [][]byte{fill(1000)},
		ws:  outcome{"end closed 1009 0 ", "too-large 1009 "},
		tcp: outcome{"end eof 0 0 -", "too-large 0 "},
	},
	{
		name: "too large for the client", max: 1000, messages: [][]byte{fill(1001)},
		ws:  outcome{"end too-large {1009} 1001 ", "closed {1009} "},
		tcp: outcome{"end too-large 0 1001 ", "eof 0"},
	},
	{
		name: "text", cfg: streamsock.Config{Text: true}, flags: "te", messages: texts, text: true, heard: texts, bye: true,
		ws: outcome{"end closed 4000 0 enough", "local 4000 enough"},
	},
	{
		name: "text that the socket refuses", flags: "t", messages: [][]byte{[]byte("do:text hello")},
		ws: outcome{"end closed 1003 0 ", "text 1003 "},
	},
	{
		name: "text that the client refuses", cfg: streamsock.Config{Text: true}, messages: texts[:1], text: true,
		ws: outcome{"end text {1003} 0 ", "closed {1003} "},
	},
}

// framings are the jobs' flags for the framings that sc can have on a transport.
func (sc *scene) framings(scheme string) []string {
	switch {
	case scheme == "ws" || scheme == "wss":
		if sc.text || sc.flags == "t" {
			return []string{""}
		}
		return []string{"", "p"}
	case sc.tcp == outcome{}:
		return nil
	}
	return []string{""}
}
