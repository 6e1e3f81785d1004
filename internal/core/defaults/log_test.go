package defaults

import (
	"bytes"
	"log"
	"log/slog"
	"os"
	"testing"
)

// Lines go where slog's default logger goes at the time when they are written, and stacks are readable there.
func TestLogger(t *testing.T) {
	var out bytes.Buffer
	log.SetOutput(&out)
	flags := log.Flags()
	log.SetFlags(0)
	own := slog.Default()
	defer func() {
		slog.SetDefault(own)
		log.SetOutput(os.Stderr)
		log.SetFlags(flags)
	}()
	l := Logger()
	l.Error("fell", "panic", "oops", StackKey, "goroutine 1:\nmain()", "n", 2)
	l.Warn("failed", "err", "no")
	l.Debug("said nothing")
	l.With("a", 1).WithGroup("g").Info("bound", "b", 2)
	if got, want := out.String(), "ERROR fell panic=oops n=2\ngoroutine 1:\nmain()\nWARN failed err=no\nINFO bound a=1 g.b=2\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}

	var other bytes.Buffer
	slog.SetDefault(slog.New(slog.NewTextHandler(&other, &slog.HandlerOptions{
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})))
	l.Error("fell", StackKey, "main()\nrun()")
	if got, want := other.String(), `level=ERROR msg=fell stack="main()\nrun()"`+"\n"; got != want {
		t.Errorf("got %s want %s", got, want)
	}
}
