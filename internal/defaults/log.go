package defaults

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
)

// Logger returns the logger of who is given none: slog's default of the moment in which a line is written.
func Logger() *slog.Logger { return slog.New(logHandler{}) }

// StackKey is the key of an attribute that holds the stack of a panic.
const StackKey = "stack"

// builtin is slog's own default, which writes a record as one line to package log.
var builtin = slog.Default().Handler()

// logHandler hands records to slog's default handler.
type logHandler struct{}

// Enabled asks slog's default.
func (logHandler) Enabled(ctx context.Context, l slog.Level) bool {
	return slog.Default().Handler().Enabled(ctx, l)
}

// Handle passes r on. For slog's own default a stack is laid out in lines, to be read as that of a crash is.
func (logHandler) Handle(ctx context.Context, r slog.Record) error {
	h := slog.Default().Handler()
	if h == builtin {
		r = withStackLines(r)
	}
	return h.Handle(ctx, r)
}

// WithAttrs binds the attributes to slog's default of now.
func (logHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return slog.Default().Handler().WithAttrs(attrs)
}

// WithGroup binds the group to slog's default of now.
func (logHandler) WithGroup(name string) slog.Handler {
	return slog.Default().Handler().WithGroup(name)
}

// unfolded returns r as a text, its stack last, if it has one.
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
