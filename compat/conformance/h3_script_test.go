package conformance

import (
	"fmt"
	"strings"
)

// h3Step is what a client sends until it waits for the server, and what the server may send then.
type h3Step struct {
	say  []h3Say
	open bool // the request stream's end does not follow yet
	hear []h3Outcome
}

// h3Say is a header section, DATA, or bytes as they are, on one of the client's streams.
type h3Say struct {
	h2Say
	uni   string // the name of a unidirectional stream; "": the request stream
	plain bool   // wire is said, and no frame is made
	wire  h3Wire
}

// h3Outcome is one thing a server may do: responses in order, the end of the stream or of the connection, or none of that.
type h3Outcome struct {
	responses []response
	open      bool     // the last response's content goes on
	reset     []string // names of codes, of which one is right
	closes    []string // likewise, of the connection
	wait      bool     // nothing comes on the stream
	keep      bool     // nothing is asked of the stream; the connection goes on
}

// parseH3Topic reads the cases of one file, whose scripts speak HTTP/3.
func parseH3Topic(topic, text string) ([]conversation, error) {
	return parseTalks(topic, text, func(script string) error { _, err := parseH3Script(script); return err })
}

// parseH3Script reads the lines of a script; testdata/http3/README.md explains them.
func parseH3Script(script string) ([]h3Step, error) { return parseSteps[h3Step](script) }

func (s *h3Step) leaveOpen() { s.open = true }

func (s *h3Step) silent() bool { return s.say == nil }

func (s *h3Step) expect(what string) (err error) {
	s.hear, err = parseH3Outcomes(what)
	return err
}

// add adds a line of the script.
func (s *h3Step) add(who, what string) (err error) {
	uni, isUni := strings.CutPrefix(who, "U ")
	if isUni || who == "B" {
		say := h3Say{plain: true}
		say.wire, err = parseWire(what)
		if isUni {
			say.uni = uni
		}
		switch {
		case isUni && h3UniType(uni) < 0 && uni != "other":
			return fmt.Errorf("no stream is called %q", uni)
		case isUni && say.wire.stop:
			return fmt.Errorf("nobody sends on this stream but the client")
		}
		s.say = append(s.say, say)
		return err
	}
	var message h2Step // which adds to the section before it
	last := len(s.say) - 1
	if last >= 0 && !s.say[last].plain {
		message.say = []h2Say{s.say[last].h2Say}
	}
	had := len(message.say)
	if err := message.add(who, what); err != nil {
		return err
	}
	if had > 0 {
		s.say[last].h2Say = message.say[0]
	}
	for _, say := range message.say[had:] {
		s.say = append(s.say, h3Say{h2Say: say})
	}
	return nil
}

// onRequest reports whether something is said on the request stream.
func (s *h3Step) onRequest() bool {
	for i := range s.say {
		if s.say[i].uni == "" {
			return true
		}
	}
	return false
}

// mayClose reports whether one of the outcomes is the end of the connection, and mustClose whether all are.
func mayClose(all []h3Outcome) bool {
	for i := range all {
		if all[i].closes != nil {
			return true
		}
	}
	return false
}

func mustClose(all []h3Outcome) bool {
	for i := range all {
		if all[i].closes == nil {
			return false
		}
	}
	return true
}

// parseH3Outcomes reads "CLOSE H3_ID_ERROR | RESET H3_MESSAGE_ERROR/H3_NO_ERROR | 400 | 100, 200 body=abc | wait | keep".
func parseH3Outcomes(s string) (all []h3Outcome, err error) {
	alternatives, err := splitOutside(s, " | ")
	if err != nil {
		return nil, err
	}
	for _, a := range alternatives {
		o, err := parseH3Outcome(a)
		if err != nil {
			return nil, err
		}
		all = append(all, o)
	}
	for _, o := range all {
		if (o.wait || o.keep) && len(all) > 1 {
			return nil, fmt.Errorf("%q: wait and keep have no alternatives", s)
		}
	}
	return all, nil
}

// parseH3Outcome reads one alternative.
func parseH3Outcome(s string) (o h3Outcome, err error) {
	if s == "wait" || s == "keep" {
		return h3Outcome{wait: s == "wait", keep: s == "keep"}, nil
	}
	if codes, ok := strings.CutPrefix(s, "RESET "); ok {
		o.reset, err = parseH3Codes(codes)
		return o, err
	}
	if codes, ok := strings.CutPrefix(s, "CLOSE "); ok {
		o.closes, err = parseH3Codes(codes)
		return o, err
	}
	s, o.open = strings.CutSuffix(s, " open")
	responses, err := parseOutcomes(s)
	if err != nil {
		return o, err
	}
	if len(responses) != 1 || responses[0].end != endGoOn || len(responses[0].responses) == 0 {
		return o, fmt.Errorf("%q is no outcome on a stream", s)
	}
	o.responses = responses[0].responses
	return o, nil
}

// parseH3Codes reads names of codes with slashes between them.
func parseH3Codes(s string) ([]string, error) {
	names := strings.Split(s, "/")
	for _, name := range names {
		if _, ok := h3Codes[name]; !ok {
			return nil, fmt.Errorf("there is no error code called %q", name)
		}
	}
	return names, nil
}
