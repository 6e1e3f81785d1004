package conformance

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// reply is one response, read by a reader of the test's own that forgives nothing.
type reply struct {
	status   int
	fields   [][2]string // names as they were sent
	body     []byte
	untilFIN bool // the body ended with the connection
}

// values returns every value of the field called name.
func (r *reply) values(name string) []string {
	var all []string
	for _, f := range r.fields {
		if strings.EqualFold(f[0], name) {
			all = append(all, f[1])
		}
	}
	return all
}

// says reports whether the list field called name has the member word.
func (r *reply) says(name, word string) bool {
	for _, v := range r.values(name) {
		for _, m := range strings.Split(v, ",") {
			if strings.EqualFold(strings.TrimSpace(m), word) {
				return true
			}
		}
	}
	return false
}

// echo returns one line of the echo's response, or with "body" what follows them.
func (r *reply) echo(key string) (string, bool) {
	rest := string(r.body)
	for _, name := range []string{"method", "target", "host", "probe", "length"} {
		line, more, ok := strings.Cut(rest, "\n")
		value, found := strings.CutPrefix(line, name+": ")
		if !ok || !found {
			return "", false
		}
		if name == key {
			return value, true
		}
		rest = more
	}
	body, ok := strings.CutPrefix(rest, "\n")
	return body, ok && key == "body"
}

// errNoResponse says that the connection ended where a response could have begun.
var errNoResponse = errors.New("closed between responses")

// readReply reads one response; head says that it has no body whatever its fields say.
func readReply(br *bufio.Reader, head bool) (*reply, error) {
	if _, err := br.Peek(1); err != nil {
		if isEnd(err) {
			return nil, errNoResponse
		}
		return nil, err
	}
	line, err := readLine(br)
	if err != nil {
		return nil, fmt.Errorf("status line: %w", err)
	}
	r := &reply{}
	if r.status, err = parseStatusLine(line); err != nil {
		return nil, err
	}
	for {
		line, err := readLine(br)
		if err != nil {
			return nil, fmt.Errorf("fields: %w", err)
		}
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok || name == "" || strings.ContainsAny(name, " \t\"(),/;<=>?@[\\]{}") || strings.ContainsAny(value, "\r\x00") {
			return nil, fmt.Errorf("bad field line %q", line)
		}
		r.fields = append(r.fields, [2]string{name, strings.Trim(value, " \t")})
	}
	return r, r.readBody(br, head)
}

// readLine reads a line that ends with CRLF and holds no other CR or LF.
func readLine(br *bufio.Reader) (string, error) {
	line, err := br.ReadString('\n')
	if err != nil {
		return "", err
	}
	line, ok := strings.CutSuffix(line, "\r\n")
	if !ok || strings.Contains(line, "\r") {
		return "", fmt.Errorf("line %q does not end with CRLF", line)
	}
	return line, nil
}

// parseStatusLine reads "HTTP/1.1 200 OK" (RFC 9112 §4).
func parseStatusLine(line string) (int, error) {
	version, rest, _ := strings.Cut(line, " ")
	code, _, ok := strings.Cut(rest, " ")
	n, err := strconv.Atoi(code)
	if (version != "HTTP/1.1" && version != "HTTP/1.0") || !ok || err != nil || len(code) != 3 || n < 100 {
		return 0, fmt.Errorf("bad status line %q", line)
	}
	return n, nil
}

// readBody reads what follows the head (RFC 9112 §6.3).
func (r *reply) readBody(br *bufio.Reader, head bool) error {
	lengths, codings := r.values("Content-Length"), r.values("Transfer-Encoding")
	switch {
	case len(lengths)+len(codings) > 1:
		return fmt.Errorf("framed twice: %q, %q", lengths, codings)
	case (r.status < 200 || r.status == 204) && len(lengths)+len(codings) > 0:
		return fmt.Errorf("status %d must not have a framing field (RFC 9110 §8.6, RFC 9112 §6.1): %q %q", r.status, lengths, codings)
	case head || r.status < 200 || r.status == 204 || r.status == 304:
		return nil
	case len(codings) == 1 && codings[0] == "chunked":
		return r.readChunks(br)
	case len(codings) == 1:
		return fmt.Errorf("unknown coding %q", codings)
	case len(lengths) == 1:
		n, err := strconv.ParseUint(lengths[0], 10, 31)
		if err != nil {
			return err
		}
		r.body = make([]byte, n)
		_, err = io.ReadFull(br, r.body)
		return err
	}
	r.untilFIN = true
	var err error
	r.body, err = io.ReadAll(br)
	if isEnd(err) {
		err = nil
	}
	return err
}

// readChunks reads a chunked body and its trailers (RFC 9112 §7.1).
func (r *reply) readChunks(br *bufio.Reader) error {
	for {
		line, err := readLine(br)
		if err != nil {
			return fmt.Errorf("chunk size: %w", err)
		}
		n, err := strconv.ParseUint(line, 16, 31)
		if err != nil {
			return fmt.Errorf("chunk size: %w", err)
		}
		if n == 0 {
			break
		}
		at := len(r.body)
		r.body = append(r.body, make([]byte, n)...)
		if _, err := io.ReadFull(br, r.body[at:]); err != nil {
			return fmt.Errorf("chunk: %w", err)
		}
		if line, err := readLine(br); err != nil || line != "" {
			return fmt.Errorf("no CRLF after a chunk: %q %w", line, err)
		}
	}
	for {
		if line, err := readLine(br); err != nil || line == "" {
			return err
		}
	}
}

// wellFormed tells which rule that holds for every response r breaks; nil if none. old says that the request was HTTP/1.0.
func (r *reply) wellFormed(old bool) error {
	if old && (r.status < 200 || len(r.values("Transfer-Encoding")) > 0) {
		return fmt.Errorf("the response to HTTP/1.0 has status %d, Transfer-Encoding %q (RFC 9110 §15.2, RFC 9112 §6.1)", r.status, r.values("Transfer-Encoding"))
	}
	if r.status == 405 && len(r.values("Allow")) == 0 {
		return errors.New("405 without Allow (RFC 9110 §15.5.6)")
	}
	if r.status < 200 || r.status >= 500 {
		return nil
	}
	dates := r.values("Date")
	if len(dates) != 1 {
		return fmt.Errorf("%d has %d Date fields, want one (RFC 9110 §6.6.1)", r.status, len(dates))
	}
	if at, err := http.ParseTime(dates[0]); err != nil || at.UTC().Format(http.TimeFormat) != dates[0] {
		return fmt.Errorf("Date %q is no IMF-fixdate (RFC 9110 §5.6.7)", dates[0])
	}
	return nil
}
