package nethttp

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"log/slog"
	"path"
	"runtime"
	"strings"
)

// logf writes a line to Logger, else to ErrorLog, else to the log package's standard logger, as net/http does. s may
// be nil.
func (s *Server) logf(format string, args ...any) {
	switch {
	case s == nil:
		log.Printf(format, args...)
	case s.Logger != nil:
		s.Logger.Error(fmt.Sprintf(format, args...))
	default:
		cmp.Or(s.errorLog(), log.Default()).Printf(format, args...)
	}
}

// errorLog returns the Server's own ErrorLog. If it has none and s is from FromServer, it returns the current
// ErrorLog of the http.Server: net/http reads that field for every line, too.
func (s *Server) errorLog() *log.Logger {
	if s.fromStd && s.ErrorLog == s.seenErrorLog {
		return s.std.ErrorLog
	}
	return s.ErrorLog
}

// logPanic counts and logs the panic value v of a handler. It must be called while the stack of the panic still
// exists. s may be nil.
func (s *Server) logPanic(remote string, v any) {
	if s != nil {
		s.panics.Add(1)
	}
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	s.logf("http: panic serving %v: %v\n%s", remote, v, stack)
}

// logHandler passes the native server's log records to ErrorLog or the standard logger, one line per record.
type logHandler struct {
	to    *Server
	attrs string
}

// Enabled accepts warnings and errors only: a log.Logger has no levels, and net/http logs only what went wrong.
func (h logHandler) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelWarn }

func (h logHandler) Handle(_ context.Context, r slog.Record) error {
	var b strings.Builder
	b.WriteString("http: " + r.Message + h.attrs)
	r.Attrs(func(a slog.Attr) bool {
		fmt.Fprintf(&b, " %s=%v", a.Key, a.Value)
		return true
	})
	h.to.logf("%s", b.String())
	return nil
}

func (h logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	for _, a := range attrs {
		h.attrs += fmt.Sprintf(" %s=%v", a.Key, a.Value)
	}
	return h
}

func (h logHandler) WithGroup(string) slog.Handler { return h }

// caller returns the name and place of the function that called the response, for log lines about its misuse.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "shockwave/nethttp.(*response)") || !more {
			return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
		}
	}
}
