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

// logf writes a line where s logs: Logger, else ErrorLog, else the log package's standard logger, as net/http does.
// s may be nil.
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

// errorLog returns the Server's own ErrorLog; without one that which FromServer's http.Server has now, as net/http looks
// for it with every line.
func (s *Server) errorLog() *log.Logger {
	if s.given && s.ErrorLog == s.takenLog {
		return s.std.ErrorLog
	}
	return s.ErrorLog
}

// logPanic counts and logs what a handler panicked with. It is called while the panic's stack is still there. s may be
// nil.
func (s *Server) logPanic(remote string, v any) {
	if s != nil {
		s.panics.Add(1)
	}
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	s.logf("http: panic serving %v: %v\n%s", remote, v, stack)
}

// logHandler gives what the native server logs to ErrorLog or the standard logger, one line a record.
type logHandler struct {
	to    *Server
	attrs string
}

// Enabled lets warnings and errors pass: a log.Logger knows no levels, and net/http's holds what went wrong.
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

// caller names the function that called the response, for lines about handlers that misuse it.
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
