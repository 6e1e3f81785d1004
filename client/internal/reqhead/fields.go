package reqhead

import (
	"errors"
	"strconv"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/wire/ascii"
)

// fieldKind says how the client treats a field of a request.
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

// specialFields are the fields that are not ordinary.
var specialFields = [...]struct {
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

// byLength holds indices into specialFields plus one, by the length of the name; 0 ends a row.
var byLength = func() (at [20][3]uint8) {
	for i := range specialFields {
		row := &at[len(specialFields[i].name)]
		j := 0
		for row[j] != 0 {
			j++
		}
		row[j] = uint8(i + 1)
	}
	return at
}()

// kindOf returns the kind of the field with a name.
func kindOf(name []byte) fieldKind {
	if len(name) >= len(byLength) {
		return ordinary
	}
	for _, i := range byLength[len(name)] {
		if i == 0 {
			break
		}
		if s := &specialFields[i-1]; ascii.EqualFold(name, s.name) {
			return s.kind
		}
	}
	return ordinary
}

// Summary says which special fields a request has, and what some of them say.
type Summary struct {
	Agent, Encoding, Ranges, Cookie, Login bool
	Close, Expect, Trailers                bool
	Length                                 int64 // Content-Length; -1 if there is none
}

// ReadFields checks the fields of a request and summarizes them.
func ReadFields(h *shockwave.Header) (a Summary, err error) {
	a.Length = -1
	for i := range h.Len() {
		name, value := h.At(i)
		if err := CheckField(name, value); err != nil {
			return a, err
		}
		kind := kindOf(name)
		if kind == ordinary {
			continue
		}
		if !a.set(kind, value) {
			return a, refusedFieldError(name)
		}
	}
	return a, nil
}

// set notes a field and reports whether it is allowed.
func (a *Summary) set(kind fieldKind, value []byte) bool {
	switch kind {
	case agentField:
		a.Agent = true
	case encodingField:
		a.Encoding = true
	case rangeField:
		a.Ranges = true
	case cookieField:
		a.Cookie = true
	case loginField:
		a.Login = true
	case refererField:
	case connectionField:
		return a.setConnection(value)
	case expectField:
		a.Expect = true
		return ascii.EqualFold(value, "100-continue")
	case teField:
		a.Trailers = true
		return ascii.EqualFold(value, "trailers")
	case lengthField:
		n, err := strconv.ParseUint(string(value), 10, 63)
		if err != nil || a.Length >= 0 {
			return false
		}
		a.Length = int64(n)
	default:
		return false
	}
	return true
}

func (a *Summary) setConnection(value []byte) bool {
	for option := range http1.Elements(value) {
		switch {
		case ascii.EqualFold(option, "close"):
			a.Close = true
		case !ascii.EqualFold(option, "keep-alive"):
			return false
		}
	}
	return true
}

// CheckField refuses a name or value that is not that of one field (RFC 9110 §5.1, §5.5). The error does not contain the
// value, which may be a secret.
func CheckField(name, value []byte) error {
	if !http1.ValidToken(name) {
		return errors.New("invalid field name: " + strconv.Quote(string(name)))
	}
	if !http1.ValidFieldValue(value) {
		return errors.New("the value of the field " + string(name) + " contains a control byte")
	}
	return nil
}

func refusedFieldError(name []byte) error {
	return errors.New("the field " + string(name) + " is set by the client, or not supported")
}
