package sockclients

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"testing"
)

// vector is one of docs/wire/streamsock-vectors.json, as docs/wire/streamsock.md describes them.
type vector struct {
	Name     string
	Max      int
	Messages []payload
	TCP      *struct {
		Bytes payloads
		End   ending
	}
	WS       *frames
	Prefixed []frames
}

type frames struct {
	Frames []struct {
		Opcode  byte
		Fin     bool
		Payload payloads
	}
	End ending
}

type ending struct {
	Reason string
	Code   int
	Length uint32
	Text   string
}

type payload []byte

func (p *payload) UnmarshalJSON(b []byte) error {
	var digits string
	if json.Unmarshal(b, &digits) == nil {
		raw, err := hex.DecodeString(digits)
		*p = raw
		return err
	}
	var long struct{ Fill int }
	err := json.Unmarshal(b, &long)
	*p = fill(long.Fill)
	return err
}

type payloads []byte

func (p *payloads) UnmarshalJSON(b []byte) error {
	var parts []payload
	err := json.Unmarshal(b, &parts)
	for _, part := range parts {
		*p = append(*p, part...)
	}
	return err
}

// fill returns n bytes, byte i is i mod 251.
func fill(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i % 251)
	}
	return b
}

func readVectors(t *testing.T) []vector {
	t.Helper()
	b, err := os.ReadFile("../../docs/wire/streamsock-vectors.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Vectors []vector }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	if len(all.Vectors) < 35 {
		t.Fatalf("%d vectors", len(all.Vectors))
	}
	return all.Vectors
}

// recital is one way to say a vector, and what is to be told of it.
type recital struct {
	name, job string
	told      []string
	reply     int      // the close code that the client is to send; 0: none
	pings     []string // which it is to reply to
	player    *player
}

// Every client reads the vectors as docs/wire/streamsock.md says.
func TestVectors(t *testing.T) {
	all := readVectors(t)
	eachDriver(t, everyone, func(t *testing.T, d driver) {
		var said []recital
		for _, v := range all {
			said = append(said, v.recite(t, d)...)
		}
		var jobs []string
		for _, r := range said {
			jobs = append(jobs, r.job)
		}
		for i, lines := range d.play(t, "", jobs...) {
			r := said[i]
			if !has(lines, r.told) {
				t.Errorf("%s: told %q, want %q", r.name, lines, r.told)
			}
			pongs, reply := r.player.reply(t)
			if reply != r.reply || !slices.Equal(pongs, r.pings) {
				t.Errorf("%s: the client replies with the code %d and pongs %q, want %d and %q", r.name, reply, pongs, r.reply, r.pings)
			}
		}
	})
}

// recite plays v in every way that d can hear.
func (v *vector) recite(t *testing.T, d driver) (said []recital) {
	say := func(name, flags, scheme string, end ending, pings []string, pieces ...[]byte) {
		code := end.Code
		refused := end.Reason != "closed" && end.Reason != "truncated"
		if refused {
			code = d.code(code)
		}
		p := newPlayer(t, scheme, pieces, d.web && refused)
		r := recital{pings: pings, name: v.Name + ", " + name, player: p, job: fmt.Sprintf("%s,%d,%s", flags, v.Max, p.url)}
		for _, m := range v.Messages {
			r.told = append(r.told, messageLine("binary", m))
		}
		last := endLine(end.Reason, code, end.Length, end.Text)
		if end.Reason == "too-large" && end.Length == 0 {
			last = fmt.Sprintf("end too-large %d ", code) // whichever
		}
		r.told = append(r.told, last)
		if code != 1005 && code != 1006 && scheme != "tcp" {
			r.reply = code
		}
		said = append(said, r)
	}
	if v.TCP != nil && d.schemes[0] == "tcp" {
		say("tcp", "", "tcp", v.TCP.End, nil, v.TCP.Bytes)
		if len(v.TCP.Bytes) < 100 {
			say("tcp, byte by byte", "", "tcp", v.TCP.End, nil, split(v.TCP.Bytes)...)
		}
	}
	if v.WS != nil {
		say("ws", "", "ws", v.WS.End, v.WS.pings(), v.WS.bytes())
	}
	for i, f := range v.Prefixed {
		say(fmt.Sprintf("prefixed %d", i), "p", "ws", f.End, f.pings(), f.bytes())
		if wire := f.bytes(); len(wire) < 100 && !d.web {
			say(fmt.Sprintf("prefixed %d, byte by byte", i), "p", "ws", f.End, f.pings(), split(wire)...)
		}
	}
	return said
}

func messageLine(kind string, m []byte) string {
	h := fnv.New32a()
	h.Write(m)
	return fmt.Sprintf("message %s %d %08x", kind, len(m), h.Sum32())
}

func split(b []byte) (pieces [][]byte) {
	for i := range b {
		pieces = append(pieces, b[i:i+1])
	}
	return pieces
}
