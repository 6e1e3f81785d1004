package jsontalk

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/figures"
)

// Loop is the common part of socket and mux: it reads lines from stdin, which are JSON commands or plain
// messages, and writes answers.
type Loop struct {
	Errs io.Writer     // takes diagnostic lines
	JSON bool          // stdin has JSON commands and stdout JSON events
	Out  *Output       // writes events or messages to stdout
	Done chan struct{} // closed when no more of stdin is to be read
	once sync.Once     // closes done
}

// Handler carries out the lines that a Loop reads.
type Handler interface {
	Command(line []byte)      // carries out a JSON command
	Line(line []byte)         // sends a line as a message
	InputEnded()              // is called at the end of stdin
	Room(ctx context.Context) // waits until there is memory for another line
}

// ReadInput passes the lines of stdin to l until stdin ends or a command ends the run.
func (t *Loop) ReadInput(stdin io.Reader, l Handler) {
	lines := NewLines(stdin)
	for {
		line, err := lines.Next()
		select {
		case <-t.Done:
			return
		default:
		}
		switch {
		case TooLong(err):
			t.ReportError(nil, Bad("%v", err))
		case err != nil:
			if err != io.EOF {
				t.Logf("shockwave: standard input: %v", err)
			}
			l.InputEnded()
			return
		case t.JSON:
			l.Command(line)
		default:
			l.Line(line)
		}
		l.Room(context.Background())
	}
}

// NotDelivered returns the error of a run that ends with n messages undelivered, or nil if n is 0.
func NotDelivered[T int | uint64](n T) error {
	if n == 0 {
		return nil
	}
	return errors.New(figures.Counted(int64(n), "message was", "messages were") + " not delivered")
}

// End makes ReadInput stop at the next line.
func (t *Loop) End() { t.once.Do(func() { close(t.Done) }) }

// Logf prints a diagnostic line to stderr.
func (t *Loop) Logf(format string, args ...any) { fmt.Fprintf(t.Errs, format+"\n", args...) }

// ReportError reports that a command failed.
func (t *Loop) ReportError(tag json.RawMessage, err error) {
	if t.JSON {
		t.Out.Error(tag, err)
		return
	}
	t.Logf("shockwave: %v", err)
}

// ReportUnknown reports that a command is none of those that there are.
func (t *Loop) ReportUnknown(tag json.RawMessage, do string) {
	if do == "" {
		t.ReportError(tag, Bad(`there is no "do"`))
	} else {
		t.ReportError(tag, Bad("%q is not known", do))
	}
}

// ReportListening reports the URL that peers can connect to, and the SHA-256 of its certificate, which is empty without TLS.
func (t *Loop) ReportListening(url, sum string) {
	switch {
	case t.JSON:
		e := t.Out.Event("listening").Str("url", url)
		if sum != "" {
			e.Str("sha256", sum)
		}
		e.End()
	case sum != "":
		t.Logf("listening on %s, certificate SHA-256 %s", url, sum)
	default:
		t.Logf("listening on %s", url)
	}
}

// Answer reports that a command was carried out, or that it failed if err is not nil.
func (t *Loop) Answer(tag json.RawMessage, err error) {
	if err != nil {
		t.ReportError(tag, err)
	} else if t.JSON {
		t.Out.OK(tag)
	}
}
