package defaults

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// Logger returns the logger that is used if none is configured. It writes to the slog default at the time of each
// record.
func Logger() *slog.Logger { return slog.New(logHandler{}) }

// StackKey is the key of an attribute that holds the stack trace of a panic.
const StackKey = "stack"

// builtin is slog's initial default handler, which writes each record as one line to package log.
var builtin = slog.Default().Handler()

// logHandler passes records to the slog default handler.
type logHandler struct{}

// Enabled implements slog.Handler.
func (logHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return slog.Default().Handler().Enabled(ctx, l)
}

// Handle passes r on. For slog's initial default handler, a stack trace is written in lines, as in a crash.
func (logHandler) Handle(ctx context.Context, r slog.Record) error {
	h := slog.Default().Handler()
	if h == builtin {
		r = withStackLines(r)
	}
	return h.Handle(ctx, r)
}

// WithAttrs adds the attributes to the current slog default.
func (logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return slog.Default().Handler().WithAttrs(attrs)
}

// WithGroup adds the group to the current slog default.
func (logHandler) WithGroup(name string) slog.Handler {
	return slog.Default().Handler().WithGroup(name)
}

// withStackLines returns r as a message with the stack trace in lines at its end, or r itself if it has none.
func withStackLines(r slog.Record) slog.Record {
	var line strings.Builder
	line.WriteString(r.Message)
	stack := ""
	r.Attrs(func(a slog.Attr) bool {
		if a.Key == StackKey {
			stack = a.Value.String()
		} else {
			fmt.Fprintf(&line, " %s=%v", a.Key, a.Value)
		}
		return true
	})
	if stack == "" {
		return r
	}
	return slog.NewRecord(r.Time, r.Level, line.String()+"\n"+stack, r.PC)
}
