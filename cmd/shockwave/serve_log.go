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

	"github.com/shockwave-go/shockwave/server"
)

// accessLog writes a line for each request that has been answered, in the combined format that log readers know, and the
// seconds that the answer took behind it:
//
//	127.0.0.1 - - [22/Nov/2026:10:30:00 +0000] "GET /a HTTP/1.1" 200 13 "-" "curl/8.5.0" 0.000123
//
// What the server refuses by itself reaches no handler and is not there. A nil log writes nothing. All methods may be
// called concurrently.
type accessLog struct {
	mu   sync.Mutex
	w    io.Writer
	file *os.File         // w, if it is to be closed
	now  func() time.Time // the time of day
}

// openAccessLog opens the named file to append to it; "-" is standard output and "" no log at all.
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

// exchange is what a line tells of a request and its answer.
type exchange struct {
	remote, method, target, protocol string
	referer, agent                   string
	status                           int
	bytes                            int64 // of the answer's body; -1: not known
	more                             string
}

// write appends the line of an exchange that began at start.
func (l *accessLog) write(e exchange, start time.Time) {
	if host, _, err := net.SplitHostPort(e.remote); err == nil {
		e.remote = host
	}
	size := "-"
	if e.bytes >= 0 {
		size = strconv.FormatInt(e.bytes, 10)
	}
	if e.more != "" {
		e.more = " " + e.more
	}
	line := fmt.Sprintf("%s - - [%s] \"%s %s %s\" %d %s %s %s %.6f%s\n", e.remote, start.Format("02/Jan/2006:15:04:05 -0700"),
		escaped(e.method), escaped(e.target), e.protocol, e.status, size, field(e.referer), field(e.agent),
		l.now().Sub(start).Seconds(), e.more)
	l.mu.Lock()
	defer l.mu.Unlock()
	io.WriteString(l.w, line) // a log that is full must not end the service
}

// field is a value in quotes; "-" if there is none.
func field(s string) string {
	if s == "" {
		return `"-"`
	}
	return `"` + escaped(s) + `"`
}

// escaped is s without anything that could end a quoted value or a line, or act on a terminal.
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

// netHTTP logs what next answers.
func (l *accessLog) netHTTP(next http.Handler) http.Handler {
	if l == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start, seen := l.now(), &answerLength{ResponseWriter: w, status: http.StatusOK}
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

// native logs what next answers on connections that carry a visit; how long answers are is not known.
func (l *accessLog) native(next server.Handler) server.Handler {
	if l == nil {
		return next
	}
	return server.HandlerFunc(func(w *server.ResponseWriter, r *server.Request) {
		start, head, v := l.now(), r.Header(), r.ConnValue().(*visit)
		e := exchange{
			remote: r.RemoteAddr().String(), method: string(r.Method()), target: string(r.Target()),
			protocol: protocolOf(r, ".0"), referer: head.GetString("Referer"), agent: head.GetString("User-Agent"),
			bytes: -1,
		}
		defer func() {
			if e.status = w.Status(); v.switched {
				e.status = http.StatusSwitchingProtocols
			}
			l.write(e, start)
		}()
		next.ServeHTTP(w, r)
	})
}

// answerLength notes the status and the length of an answer on its way.
type answerLength struct {
	http.ResponseWriter
	status int
	bytes  int64
	told   bool // the status is the answer's
}

// Unwrap is for http.ResponseController.
func (a *answerLength) Unwrap() http.ResponseWriter { return a.ResponseWriter }

func (a *answerLength) WriteHeader(status int) {
	if !a.told && (status >= 200 || status == http.StatusSwitchingProtocols) {
		a.status, a.told = status, true
	}
	a.ResponseWriter.WriteHeader(status)
}

func (a *answerLength) Write(p []byte) (int, error) {
	n, err := a.ResponseWriter.Write(p)
	a.note(int64(n))
	return n, err
}

// ReadFrom keeps the way open on which files are sent without being copied.
func (a *answerLength) ReadFrom(src io.Reader) (int64, error) {
	n, err := io.Copy(a.ResponseWriter, src)
	a.note(n)
	return n, err
}

func (a *answerLength) note(n int64) {
	a.told = true
	a.bytes += n
}
