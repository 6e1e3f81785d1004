package sockclients

import (
	"fmt"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/streamsock"
)

// broken are frames that WebSocket forbids a server to send, behind the handshake, and the code that says so.
var broken = []struct {
	name  string
	bytes string
	code  int
}{
	{"RSV1", "\xc2\x01a", 1002},
	{"a mask", "\x82\x81\x00\x00\x00\x00a", 1002},
	{"opcode 3", "\x83\x00", 1002},
	{"opcode 11", "\x8b\x00", 1002},
	{"a continuation of nothing", "\x80\x01a", 1002},
	{"a message in a message", "\x02\x01a\x82\x01b", 1002},
	{"a ping that goes on", "\x09\x00", 1002},
	{"a ping of 126 bytes", "\x89\x7e\x00\x7e", 1002},
	{"125 bytes in a length of 16 bits", "\x82\x7e\x00\x7d", 1002},
	{"65535 bytes in a length of 64 bits", "\x82\x7f\x00\x00\x00\x00\x00\x00\xff\xff", 1002},
	{"2^63", "\x82\x7f\x80\x00\x00\x00\x00\x00\x00\x00", 1002},
	{"a close frame of one byte", "\x88\x01\x03", 1002},
	{"close code 999", "\x88\x02\x03\xe7", 1002},
	{"close code 1004", "\x88\x02\x03\xec", 1002},
	{"close code 1005", "\x88\x02\x03\xed", 1002},
	{"close code 1006", "\x88\x02\x03\xee", 1002},
	{"close code 1015", "\x88\x02\x03\xf7", 1002},
	{"close code 2999", "\x88\x02\x0b\xb7", 1002},
	{"close code 5000", "\x88\x02\x13\x88", 1002},
	{"a reason that is not UTF-8", "\x88\x03\x03\xe8\xff", 1007},
	{"text that is cut in a character", "\x81\x01\xc3", 1007},
	{"text with a long form", "\x81\x02\xc0\x80", 1007},
	{"text with a long form of three bytes", "\x81\x03\xe0\x80\x80", 1007},
	{"text with half a pair", "\x81\x03\xed\xa0\x80", 1007},
	{"text with a long form of four bytes", "\x81\x04\xf0\x8f\xbf\xbf", 1007},
	{"text beyond the last character", "\x81\x04\xf4\x90\x80\x80", 1007},
	{"text with a byte that follows nothing", "\x81\x02a\x80", 1007},
}

// The clients that read frames themselves refuse broken ones.
func TestBroken(t *testing.T) {
	eachDriver(t, ownFrames, func(t *testing.T, d driver) {
		var jobs []string
		var players []*player
		for _, b := range broken {
			p := newPlayer(t, "ws", [][]byte{[]byte("\x82\x01m" + b.bytes)}, false)
			players = append(players, p)
			jobs = append(jobs, "t,1000,"+p.url)
		}
		for i, lines := range d.play(t, "", jobs...) {
			want := []string{messageLine("binary", []byte("m")), fmt.Sprintf("end protocol %d 0 ", broken[i].code)}
			if !has(lines, want) {
				t.Errorf("%s: told %q, want %q", broken[i].name, lines, want)
			}
			if _, reply := players[i].reply(t); reply != broken[i].code {
				t.Errorf("%s: the client replies with the code %d, want %d", broken[i].name, reply, broken[i].code)
			}
		}
	})
}

// A message may be cut into frames anywhere, also within a character, and its first frame decides its kind.
func TestFragments(t *testing.T) {
	wire := "\x01\x03gr\xc3" + "\x80\x04\xbc\xc3\x9fe" + "\x02\x01\xff" + "\x80\x01\xfe" + "\x81\x04\xf4\x8f\xbf\xbf" + "\x88\x02\x03\xe8"
	want := []string{
		messageLine("text", []byte("grüße")), messageLine("binary", []byte("\xff\xfe")),
		messageLine("text", []byte("\U0010ffff")), "end closed 1000 0 -",
	}
	eachDriver(t, everyone, func(t *testing.T, d driver) {
		p := newPlayer(t, "ws", [][]byte{[]byte(wire)}, false)
		if lines := d.play(t, "", "t,1000,"+p.url); !has(lines[0], want) {
			t.Errorf("told %q, want %q", lines[0], want)
		}
	})
}

// A client refuses a response to another handshake, or one that chooses what was not offered (RFC 6455 §4.1).
func TestForeignAnswers(t *testing.T) {
	eachDriver(t, everyone, func(t *testing.T, d driver) {
		var jobs []string
		for _, foreign := range []string{"a", "Sec-WebSocket-Extensions: permessage-deflate\r\n"} {
			if d.web && foreign != "a" {
				continue // what the client runs in has offered that
			}
			p := newPlayer(t, "ws", [][]byte{[]byte("\x82\x01m")}, false)
			p.foreign = foreign
			jobs = append(jobs, ",1000,"+p.url)
		}
		s, _ := newSocket(t, streamsock.Config{}, "ws")
		bound, err := s.Bind("ws://127.0.0.1:0/here")
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, ",1000,"+bound[0]+"/nowhere")
		for i, lines := range d.play(t, "", jobs...) {
			if len(lines) != 1 || !strings.HasPrefix(lines[0], "failed") {
				t.Errorf("%s: told %q", jobs[i], lines)
			}
		}
	})
}
