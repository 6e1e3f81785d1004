package client

import (
	"strconv"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/ascii"
)

// fieldKind says what a field of a request is to the client.
type fieldKind uint8

const (
	ordinary fieldKind = iota
	refusedField
	hostField
	lengthField
	connectionField
	expectField
	teField
	agentField
	encodingField
	rangeField
	cookieField
	loginField
	refererField
)

// special are the fields that are not ordinary.
var special = [...]struct {
	name string
	kind fieldKind
}{
	{"te", teField},
	{"host", hostField},
	{"range", rangeField},
	{"cookie", cookieField},
	{"expect", expectField},
	{"referer", refererField},
	{"trailer", refusedField},
	{"upgrade", refusedField},
	{"connection", connectionField},
	{"keep-alive", refusedField},
	{"user-agent", agentField},
	{"authorization", loginField},
	{"content-length", lengthField},
	{"http2-settings", refusedField},
	{"accept-encoding", encodingField},
	{"proxy-connection", refusedField},
	{"transfer-encoding", refusedField},
	{"proxy-authorization", refusedField},
}

// byLength are the indices into special, with one added, of names of a length.
var byLength = func() (at [20][3]uint8) {
	for i := range special {
		row := &at[len(special[i].name)]
		j := 0
		for row[j] != 0 {
			j++
		}
		row[j] = uint8(i + 1)
	}
	return at
}()

// kindOf looks a field's name up.
func kindOf(name []byte) fieldKind {
	if len(name) >= len(byLength) {
		return ordinary
	}
	for _, i := range byLength[len(name)] {
		if i == 0 {
			break
		}
		if s := &special[i-1]; ascii.EqualFold(name, s.name) {
			return s.kind
		}
	}
	return ordinary
}

// asked is what the fields of a request say to the client.
type asked struct {
	agent, encoding, ranges, cookie, login, referer bool
	close, expect, trailers                         bool
	length                                          int64 // Content-Length; -1 if there is none
}

// readFields checks the fields of a request, and finds out what they ask for.
func readFields(h *Header) (a asked, err error) {
	a.length = -1
	for i := range h.Len() {
		name, value := h.At(i)
		if err := checkField(name, value); err != nil {
			return a, err
		}
		kind := kindOf(name)
		if kind == ordinary {
			continue
		}
		if !a.note(kind, value) {
			return a, refusal(name)
		}
	}
	return a, nil
}

// note notes a field, and reports whether it may be there.
func (a *asked) note(kind fieldKind, value []byte) bool {
	switch kind {
	case agentField:
		a.agent = true
	case encodingField:
		a.encoding = true
	case rangeField:
		a.ranges = true
	case cookieField:
		a.cookie = true
	case loginField:
		a.login = true
	case refererField:
		a.referer = true
	case connectionField:
		return a.noteConnection(value)
	case expectField:
		a.expect = true
		return ascii.EqualFold(value, "100-continue")
	case teField:
		a.trailers = true
		return ascii.EqualFold(value, "trailers")
	case lengthField:
		n, err := strconv.ParseUint(string(value), 10, 63)
		if err != nil || a.length >= 0 {
			return false
		}
		a.length = int64(n)
	default:
		return false
	}
	return true
}

func (a *asked) noteConnection(value []byte) bool {
	for option := range http1.Elements(value) {
		switch {
		case ascii.EqualFold(option, "close"):
			a.close = true
		case !ascii.EqualFold(option, "keep-alive"):
			return false
		}
	}
	return true
}

// checkField refuses what would not be one field (RFC 9110 §5.1, §5.5). The value may be a secret: it is not said.
func checkField(name, value []byte) error {
	if !http1.ValidToken(name) {
		return &badRequest{"a field's name that is none: " + strconv.Quote(string(name))}
	}
	if !http1.ValidFieldValue(value) {
		return &badRequest{"the value of the field " + string(name) + " has a control byte"}
	}
	return nil
}

func refusal(name []byte) error {
	return &badRequest{"the field " + string(name) + " is the client's, or says what it cannot do"}
}
