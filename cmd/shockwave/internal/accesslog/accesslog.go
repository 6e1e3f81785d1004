package accesslog

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/cli"
)

// Log writes a line for each answered request: the combined log format, followed by the duration in seconds.
//
//	127.0.0.1 - - [22/Nov/2026:10:30:00 +0000] "GET /a HTTP/1.1" 200 13 "-" "curl/8.5.0" 0.000123
//
// Requests that the server itself refuses do not reach a handler and are not logged. A nil log writes nothing. All
// methods may be called concurrently.
type Log struct {
	mu   sync.Mutex
	w    io.Writer
	file *os.File // w, if Close must close it
}

// Open opens the named file for appending; "-" is standard output and "" disables the log.
func Open(name string, con cli.Console) (*Log, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return &Log{w: con.Out}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return nil, err
	}
	return &Log{w: f, file: f}, nil
}

// Close closes the file.
func (l *Log) Close() {
	if l != nil && l.file != nil {
		l.file.Close()
	}
}

// Exchange is a request and its response, as they are logged.
type Exchange struct {
	Remote, Method, Target, Protocol string
	Referer, Agent                   string
	Status                           int
	Bytes                            int64 // of the response body; -1 if unknown
	Extra                            string
}

// Write appends the line for e. start is when the request came.
func (l *Log) Write(e Exchange, start time.Time) {
	if host, _, err := net.SplitHostPort(e.Remote); err == nil {
		e.Remote = host
	}
	size := "-"
	if e.Bytes >= 0 {
		size = strconv.FormatInt(e.Bytes, 10)
	}
	if e.Extra != "" {
		e.Extra = " " + e.Extra
	}
	line := fmt.Sprintf("%s - - [%s] \"%s %s %s\" %d %s %s %s %.6f%s\n", e.Remote, start.Format("02/Jan/2006:15:04:05 -0700"),
		escaped(e.Method), escaped(e.Target), e.Protocol, e.Status, size, Field(e.Referer), Field(e.Agent),
		time.Since(start).Seconds(), e.Extra)
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.w, line) // ignore errors: a full disk must not stop the service
}

// Field returns s escaped and in quotes, or "-" in quotes if it is empty.
func Field(s string) string {
	if s == "" {
		return `"-"`
	}
	return `"` + escaped(s) + `"`
}

// escaped returns s with \x escapes for quotes, backslashes, control characters and bytes that are not ASCII, so that s
// cannot end a field or a line of the log or control a terminal.
func escaped(s string) string {
	odd := func(b byte) bool { return b < ' ' || b >= 0x7f || b == '"' || b == '\\' }
	var out strings.Builder
	for i := range len(s) {
		if b := s[i]; odd(b) {
			fmt.Fprintf(&out, `\x%02x`, b)
		} else {
			out.WriteByte(b)
		}
	}
	return out.String()
}

// Handler returns a handler that calls next and logs its response.
func (l *Log) Handler(next http.Handler) http.Handler {
	if l == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := time.Now(), &responseRecorder{ResponseWriter: w, status: http.StatusOK}
		e := Exchange{
			Remote: r.RemoteAddr, Method: r.Method, Target: r.RequestURI, Protocol: r.Proto,
			Referer: r.Referer(), Agent: r.UserAgent(),
		}
		defer func() {
			e.Status, e.Bytes = seen.status, seen.bytes
			l.Write(e, start)
		}()
		next.ServeHTTP(seen, r)
	})
}

// responseRecorder records the status and the body length of a response.
type responseRecorder struct {
	http.ResponseWriter
	status int
	bytes  int64
	final  bool // status is final
}

// Unwrap lets http.ResponseController reach the original writer.
func (a *responseRecorder) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *responseRecorder) WriteHeader(status int) {
	if !a.final && (status >= 200 || status == http.StatusSwitchingProtocols) {
		a.status, a.final = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *responseRecorder) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.count(int64(n))
	return n, err
}

// ReadFrom passes src to the original writer, so that files are still sent without being copied.
func (a *responseRecorder) ReadFrom(src io.Reader) (int64, error) {
	n, err := io.Copy(a.ResponseWriter, src)
	a.count(n)
	return n, err
}

func (a *responseRecorder) count(n int64) {
	a.final = true
	a.bytes += n
}
