// Package jsontalk implements the JSON interface of the commands socket and mux: it reads commands and writes events,
// one JSON object per line, encodes message payloads, and queues the sends that have to wait.
package jsontalk

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// Bad returns the error for a line that is not a valid command.
func Bad(format string, args ...any) error {
	return fmt.Errorf("bad command: "+format, args...)
}

// longestLine is the longest line in bytes. Larger messages, up to 4 GiB, can be sent with "fill".
const longestLine = 512 << 20

var errLong = errors.New("the line is too long")

// Lines reads lines of any length up to longestLine.
type Lines struct {
	r    *bufio.Reader
	buf  []byte
	most int
}

// NewLines returns a reader of the lines of r.
func NewLines(r io.Reader) *Lines {
	return &Lines{r: bufio.NewReaderSize(r, 64<<10), most: longestLine}
}

// Next returns the next line without its newline; the last line may lack one. The line is valid until the next call.
// The error is io.EOF at the end of input, a TooLong error for a line that was skipped, after which reading may go on,
// or the error of reading.
func (l *Lines) Next() ([]byte, error) {
	if cap(l.buf) > keep {
		l.buf = nil
	}
	l.buf = l.buf[:0]
	long := false
	for {
		part, err := l.r.ReadSlice('\n')
		if long = long || len(l.buf)+len(part) > l.most; !long {
			l.buf = append(l.buf, part...)
		} else {
			l.buf = l.buf[:0]
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case err != nil && (err != io.EOF || len(l.buf) == 0 && !long):
			return nil, err
		case long:
			return nil, errLong
		case err == nil:
			return l.buf[:len(l.buf)-1], nil
		}
		return l.buf, nil
	}
}

// TooLong reports whether err is the error for a line that was too long.
func TooLong(err error) bool { return err == errLong }

// Parse decodes a line, which must be a single JSON object, into cmd, a pointer to a struct. Unknown members are
// ignored. If the line is not valid, cmd has the members that could be decoded, such as the tag.
func Parse(line []byte, cmd any) error {
	for _, c := range line {
		if c == '{' {
			break
		}
		if c != ' ' && c != '\t' && c != '\r' {
			return Bad("the line is no object")
		}
	}
	err := json.Unmarshal(line, cmd)
	var wrong *json.UnmarshalTypeError
	switch {
	case !utf8.Valid(line) || !wholeSurrogates(line):
		return Bad("the line is not UTF-8")
	case errors.As(err, &wrong): // its text would name types of Go
		return Bad("%q has the wrong type: %s", wrong.Field[strings.LastIndexByte(wrong.Field, '.')+1:], wrong.Value)
	case err != nil:
		return Bad("%v", err)
	}
	return nil
}

// wholeSurrogates reports whether all \u escapes of surrogates in line form pairs. A single surrogate is not a
// character (RFC 8259 §8.2).
func wholeSurrogates(line []byte) bool {
	for i := 0; i+1 < len(line); i++ {
		if line[i] != '\\' {
			continue
		}
		if i++; line[i] != 'u' {
			continue
		}
		switch unit := hex4(line[i+1:]); {
		case unit>>10 == 0xDC00>>10:
			return false
		case unit>>10 == 0xD800>>10:
			rest := line[i+5:]
			if len(rest) < 6 || rest[0] != '\\' || rest[1] != 'u' || hex4(rest[2:])>>10 != 0xDC00>>10 {
				return false
			}
			i += 10
		}
	}
	return true
}

// hex4 returns the value of the four hex digits at the beginning of b, or 0 if there are none.
func hex4(b []byte) (n int) {
	if len(b) < 4 {
		return 0
	}
	for _, c := range b[:4] {
		switch {
		case '0' <= c && c <= '9':
			n = n<<4 | int(c-'0')
		case 'a' <= c|0x20 && c|0x20 <= 'f':
			n = n<<4 | int(c|0x20-'a'+10)
		default:
			return 0
		}
	}
	return n
}
