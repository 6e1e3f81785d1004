package main

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
)

// accessLog writes a line for each answered request: the combined log format, followed by the duration in seconds.
//
//	127.0.0.1 - - [22/Nov/2026:10:30:00 +0000] "GET /a HTTP/1.1" 200 13 "-" "curl/8.5.0" 0.000123
//
// Requests that the server itself refuses do not reach a handler and are not logged. A nil log writes nothing. All
// methods may be called concurrently.
type accessLog struct {
	mu   sync.Mutex
	w    io.Writer
	file *os.File         // w, if close must close it
	now  func() time.Time // time.Now, except in tests
}

// openAccessLog opens the named file for appending; "-" is standard output and "" disables the log.
func openAccessLog(name string, con console) (*accessLog, error) {
	switch name {
	case "":
		return nil, nil
	case "-":
		return &accessLog{w: con.out, now: time.Now}, nil
	}
	f, err := os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o640)
	if err != nil {
		return nil, err
	}
	return &accessLog{w: f, file: f, now: time.Now}, nil
}

func (l *accessLog) close() {
	if l != nil && l.file != nil {
		l.file.Close()
	}
}

// exchange is a request and its response, as they are logged.
type exchange struct {
	remote, method, target, protocol string
	referer, agent                   string
	status                           int
	bytes                            int64 // of the response body; -1 if unknown
	extra                            string
}

// write appends the line for e. start is when the request came.
func (l *accessLog) write(e exchange, start time.Time) {
	if host, _, err := net.SplitHostPort(e.remote); err == nil {
		e.remote = host
	}
	size := "-"
	if e.bytes >= 0 {
		size = strconv.FormatInt(e.bytes, 10)
	}
	if e.extra != "" {
		e.extra = " " + e.extra
	}
	line := fmt.Sprintf("%s - - [%s] \"%s %s %s\" %d %s %s %s %.6f%s\n", e.remote, start.Format("02/Jan/2006:15:04:05 -0700"),
		escaped(e.method), escaped(e.target), e.protocol, e.status, size, field(e.referer), field(e.agent),
		l.now().Sub(start).Seconds(), e.extra)
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.w, line) // ignore errors: a full disk must not stop the service
}

// field returns s escaped and in quotes, or "-" in quotes if it is empty.
func field(s string) string {
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

// netHTTP returns a handler that calls next and logs its response.
func (l *accessLog) netHTTP(next http.Handler) http.Handler {
	if l == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := l.now(), &responseRecorder{ResponseWriter: w, status: http.StatusOK}
		e := exchange{
			remote: r.RemoteAddr, method: r.Method, target: r.RequestURI, protocol: r.Proto,
			referer: r.Referer(), agent: r.UserAgent(),
		}
		defer func() {
			e.status, e.bytes = seen.status, seen.bytes
			l.write(e, start)
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
