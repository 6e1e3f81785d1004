package conformance

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// h3Wire is what a client does with a stream: it writes bytes, and perhaps ends one of the directions.
type h3Wire struct {
	bytes []byte
	fin   bool
	reset bool   // of its own direction, with code
	stop  bool   // of the server's, with code
	code  uint64 // of reset or stop
}

// h3Codes are the error codes of RFC 9114 §8.1, RFC 9204 §6 and RFC 9297 §5.2.
var h3Codes = map[string]uint64{
	"H3_DATAGRAM_ERROR": 0x33,
	"H3_NO_ERROR":       0x100, "H3_GENERAL_PROTOCOL_ERROR": 0x101, "H3_INTERNAL_ERROR": 0x102, "H3_STREAM_CREATION_ERROR": 0x103,
	"H3_CLOSED_CRITICAL_STREAM": 0x104, "H3_FRAME_UNEXPECTED": 0x105, "H3_FRAME_ERROR": 0x106, "H3_EXCESSIVE_LOAD": 0x107,
	"H3_ID_ERROR": 0x108, "H3_SETTINGS_ERROR": 0x109, "H3_MISSING_SETTINGS": 0x10a, "H3_REQUEST_REJECTED": 0x10b,
	"H3_REQUEST_CANCELLED": 0x10c, "H3_REQUEST_INCOMPLETE": 0x10d, "H3_MESSAGE_ERROR": 0x10e, "H3_CONNECT_ERROR": 0x10f,
	"H3_VERSION_FALLBACK": 0x110, "QPACK_DECOMPRESSION_FAILED": 0x200, "QPACK_ENCODER_STREAM_ERROR": 0x201,
	"QPACK_DECODER_STREAM_ERROR": 0x202,
}

// h3CodeName is a code's name, or its number.
func h3CodeName(code uint64) string {
	for name, c := range h3Codes {
		if c == code {
			return name
		}
	}
	return fmt.Sprintf("%#x", code)
}

// h3Frames are the types of frames of RFC 9114 §7.2 and RFC 9218 §7.2.
var h3Frames = map[string]uint64{
	"DATA": 0, "HEADERS": 1, "CANCEL_PUSH": 3, "SETTINGS": 4, "PUSH_PROMISE": 5, "GOAWAY": 7, "MAX_PUSH_ID": 0xd,
	"PRIORITY_UPDATE": 0xF0700, "PRIORITY_UPDATE_PUSH": 0xF0701,
}

// h3UniType is the type of the unidirectional stream that a script calls so; -1 if it has to write one itself.
func h3UniType(name string) int {
	switch strings.TrimSuffix(name, " 2") {
	case "control":
		return 0
	case "push":
		return 1
	case "encoder":
		return 2
	case "decoder":
		return 3
	}
	return -1
}

// parseWire reads words: hexadecimal digits, v8 for the number 8 as RFC 9000 §16 has it, "text", FRAME(words); and at the end perhaps
// FIN, RESET CODE or STOP CODE.
func parseWire(s string) (w h3Wire, err error) {
	if rest, ok := strings.CutSuffix(s, "FIN"); ok {
		s, w.fin = rest, true
	}
	for word, flag := range map[string]*bool{"RESET ": &w.reset, "STOP ": &w.stop} {
		if rest, code, ok := strings.Cut(s, word); ok {
			if w.code, ok = h3Codes[code]; !ok {
				if w.code, err = strconv.ParseUint(code, 0, 62); err != nil {
					return w, fmt.Errorf("there is no error code called %q", code)
				}
			}
			s, *flag = rest, true
		}
	}
	w.bytes, s, err = parseWords(s, false)
	if err == nil && s != "" {
		err = fmt.Errorf("%q has no beginning", s)
	}
	return w, err
}

// parseWords reads words up to a closing parenthesis, or to the end.
func parseWords(s string, inFrame bool) (b []byte, rest string, err error) {
	for {
		s = strings.TrimLeft(s, " ")
		if s == "" {
			if inFrame {
				err = fmt.Errorf("a frame has no end")
			}
			return b, "", err
		}
		if s[0] == ')' {
			if !inFrame {
				return b, s, nil
			}
			return b, s[1:], nil
		}
		var word []byte
		if word, s, err = parseWord(s); err != nil {
			return nil, "", err
		}
		b = append(b, word...)
	}
}

// parseWord reads the word that s begins with.
func parseWord(s string) (b []byte, rest string, err error) {
	if s[0] == '"' {
		text, rest, ok := strings.Cut(s[1:], `"`)
		if !ok {
			return nil, "", fmt.Errorf("%q: a quote is open", s)
		}
		b, err = parseBytes(text)
		return b, rest, err
	}
	end := strings.IndexAny(s, ` ()"`)
	if end < 0 {
		end = len(s)
	}
	word, rest := s[:end], s[end:]
	if strings.HasPrefix(rest, "(") {
		payload, rest, err := parseWords(rest[1:], true)
		if err != nil {
			return nil, "", err
		}
		b, err = appendH3Frame(word, payload)
		return b, rest, err
	}
	if digits, ok := strings.CutPrefix(word, "v"); ok {
		n, err := strconv.ParseUint(digits, 10, 62)
		return h3frame.AppendVarint(nil, n), rest, err
	}
	b, err = hex.DecodeString(word)
	return b, rest, err
}

// appendH3Frame makes a frame of the type with that name, or with that number: 0x21.
func appendH3Frame(name string, payload []byte) ([]byte, error) {
	t, ok := h3Frames[name]
	if !ok {
		var err error
		if t, err = strconv.ParseUint(name, 0, 62); err != nil {
			return nil, fmt.Errorf("there is no frame called %q", name)
		}
	}
	return append(h3frame.AppendVarint(h3frame.AppendVarint(nil, t), uint64(len(payload))), payload...), nil
}
