package conformance

import (
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"
)

// h2Step is what a client sends on a stream until it waits for the server, and what the server may send then.
type h2Step struct {
	say  []h2Say
	open bool // END_STREAM does not follow yet
	hear []h2Outcome
}

// h2Say is a header section, or DATA.
type h2Say struct {
	head    bool
	fields  []hpack.HeaderField
	data    []byte
	scheme  int // 1 and the index of the :scheme that is the connection's own; 0 if there is none
	trailer bool
}

// h2Outcome is one thing a server may do with a stream: responses in order, or a reset.
type h2Outcome struct {
	responses []response
	reset     string // the error code's name
	wait      bool   // nothing
}

// parseH2Topic reads the cases of one file, whose scripts speak HTTP/2. They are h2Steps of each case's script.
func parseH2Topic(topic, text string) ([]conversation, error) {
	return parseTalks(topic, text, func(script string) error { _, err := parseH2Script(script); return err })
}

// parseH2Script reads the lines of a script; testdata/http2/README.md explains them.
func parseH2Script(script string) ([]h2Step, error) { return parseSteps[h2Step](script) }

func (s *h2Step) leaveOpen() { s.open = true }

func (s *h2Step) silent() bool { return s.say == nil }

func (s *h2Step) expect(what string) (err error) {
	s.hear, err = parseH2Outcomes(what)
	return err
}

// add adds a line of the script.
func (s *h2Step) add(who, what string) error {
	n := len(s.say)
	switch who {
	case "R":
		say := h2Say{head: true}
		if what != "" {
			method, path, _ := strings.Cut(what, " ")
			for i, l := range []string{":method=" + method, ":scheme=http", ":authority=a", ":path=" + path} {
				f, err := parseField(l)
				if err != nil {
					return err
				}
				say.fields = append(say.fields, f)
				if i == 1 {
					say.scheme = 1 + i
				}
			}
		}
		s.say = append(s.say, say)
	case "F", "T":
		if what == "" {
			return nil
		}
		times, what := timesOf(what)
		f, err := parseField(what)
		if who == "T" && (n == 0 || !s.say[n-1].trailer) {
			s.say = append(s.say, h2Say{head: true, trailer: true})
			n++
		}
		if n == 0 || !s.say[n-1].head {
			return fmt.Errorf("a field outside a header section")
		}
		say := &s.say[n-1]
		for range times {
			say.fields = append(say.fields, f)
		}
		return err
	case "D":
		b, err := parseBytes(what)
		s.say = append(s.say, h2Say{data: b})
		return err
	default:
		return fmt.Errorf("nobody is called %q", who)
	}
	return nil
}

// timesOf cuts off how often a field is said: a number in front of it, and an asterisk.
func timesOf(s string) (int, string) {
	if number, rest, ok := strings.Cut(s, "* "); ok {
		if n, err := strconv.Atoi(number); err == nil {
			return n, rest
		}
	}
	return 1, s
}

// parseField reads "name=value", with escapes in both.
func parseField(s string) (hpack.HeaderField, error) {
	name, value, ok := strings.Cut(s, "=")
	if !ok {
		return hpack.HeaderField{}, fmt.Errorf("%q has no equals sign", s)
	}
	n, err := parseBytes(name)
	if err != nil {
		return hpack.HeaderField{}, err
	}
	v, err := parseBytes(value)
	return hpack.HeaderField{Name: string(n), Value: string(v)}, err
}

// parseBytes reads visible text: escapes, and {A*700}.
func parseBytes(s string) ([]byte, error) {
	chunks, err := parseSend(s)
	var b []byte
	for _, c := range chunks {
		if c.fin || c.pause > 0 {
			return nil, fmt.Errorf("%q: only bytes can stand here", s)
		}
		b = append(b, c.bytes...)
	}
	return b, err
}

// parseH2Outcomes reads "RST_STREAM PROTOCOL_ERROR | 400 | 100, 200 body=abc | wait".
func parseH2Outcomes(s string) (all []h2Outcome, err error) {
	alternatives, err := splitOutside(s, " | ")
	if err != nil {
		return nil, err
	}
	for _, a := range alternatives {
		code, reset := strings.CutPrefix(a, "RST_STREAM ")
		switch {
		case a == "wait":
			all = append(all, h2Outcome{wait: true})
		case reset && !knownCode(code):
			return nil, fmt.Errorf("there is no error code called %q", code)
		case reset:
			all = append(all, h2Outcome{reset: code})
		default:
			o, err := parseOutcomes(a)
			if err != nil {
				return nil, err
			}
			if len(o) != 1 || o[0].end != endGoOn || len(o[0].responses) == 0 {
				return nil, fmt.Errorf("%q is no outcome on a stream", a)
			}
			all = append(all, h2Outcome{responses: o[0].responses})
		}
	}
	return all, nil
}

func knownCode(name string) bool {
	for c := http2.ErrCodeNo; c <= http2.ErrCodeHTTP11Required; c++ {
		if c.String() == name {
			return true
		}
	}
	return false
}
