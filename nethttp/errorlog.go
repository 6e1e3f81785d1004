package nethttp

import (
	"cmp"
	"context"
	"fmt"
	"log"
	"log/slog"
	"strings"
)

// logf writes a line to Logger, else to ErrorLog, else to the log package's standard logger, as net/http does.
func (s *Server) logf(format string, args ...any) {
	switch {
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

// logPanic implements owner.
func (s *Server) logPanic(remote string, v any) {
	s.panics.Add(1)
	s.logf("%s", panicText(remote, v))
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
