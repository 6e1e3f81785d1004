package jsontalk

import (
	"encoding/base64"
	"errors"
	"math"
	"strings"
)

// Payload holds the members of a command that give the message to send. Exactly one must be present.
type Payload struct {
	Text   *string `json:"text"`
	Base64 *string `json:"base64"`
	Fill   *int64  `json:"fill"`
}

// ErrTooLarge is the error for a payload that is longer than any message can be.
var ErrTooLarge = errors.New("message too large")

// Bytes returns the payload.
func (p *Payload) Bytes() ([]byte, error) {
	given := 0
	for _, is := range []bool{p.Text != nil, p.Base64 != nil, p.Fill != nil} {
		if is {
			given++
		}
	}
	switch {
	case given != 1:
		return nil, Bad(`one of "text", "base64" and "fill" is wanted`)
	case p.Text != nil:
		return []byte(*p.Text), nil
	case p.Base64 != nil:
		if strings.ContainsAny(*p.Base64, "\r\n") { // the decoder would ignore these
			return nil, Bad("a newline in base64")
		}
		b, err := base64.StdEncoding.Strict().DecodeString(*p.Base64)
		if err != nil {
			return nil, Bad("%v", err)
		}
		return b, nil
	case *p.Fill < 0:
		return nil, Bad(`"fill" wants a number of bytes`)
	case *p.Fill > min(math.MaxUint32, int64(math.MaxInt)):
		return nil, ErrTooLarge
	}
	return fill(int(*p.Fill)), nil
}

// fill returns n bytes, where byte i is i mod 251.
func fill(n int) []byte {
	b := make([]byte, n)
	for i := range min(n, 251) {
		b[i] = byte(i)
	}
	for done := 251; done < n; done *= 2 {
		copy(b[done:], b[:done])
	}
	return b
}
