package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
)

// commandLoop is the common part of socket and mux: it reads lines from stdin, which are JSON commands or plain
// messages, and writes answers.
type commandLoop struct {
	errs io.Writer        // takes diagnostic lines
	json bool             // stdin has JSON commands and stdout JSON events
	out  *jsontalk.Output // writes events or messages to stdout
	done chan struct{}    // closed when no more of stdin is to be read
	once sync.Once        // closes done
}

// commandHandler carries out the lines that a commandLoop reads.
type commandHandler interface {
	command(line []byte)      // carries out a JSON command
	line(line []byte)         // sends a line as a message
	inputEnded()              // is called at the end of stdin
	room(ctx context.Context) // waits until there is memory for another line
}

// readInput passes the lines of stdin to l until stdin ends or a command ends the run.
func (t *commandLoop) readInput(stdin io.Reader, l commandHandler) {
	lines := jsontalk.NewLines(stdin)
	for {
		line, err := lines.Next()
		select {
		case <-t.done:
			return
		default:
		}
		switch {
		case jsontalk.TooLong(err):
			t.reportError(nil, jsontalk.Bad("%v", err))
		case err != nil:
			if err != io.EOF {
				t.logf("shockwave: standard input: %v", err)
			}
			l.inputEnded()
			return
		case t.json:
			l.command(line)
		default:
			l.line(line)
		}
		l.room(context.Background())
	}
}

// notDelivered returns the error of a run that ends with n messages undelivered, or nil if n is 0.
func notDelivered[T int | uint64](n T) error {
	if n == 0 {
		return nil
	}
	return errors.New(counted(int64(n), "message was", "messages were") + " not delivered")
}

// end makes readInput stop at the next line.
func (t *commandLoop) end() { t.once.Do(func() { close(t.done) }) }

// logf prints a diagnostic line to stderr.
func (t *commandLoop) logf(format string, args ...any) { fmt.Fprintf(t.errs, format+"\n", args...) }

// reportError reports that a command failed.
func (t *commandLoop) reportError(tag json.RawMessage, err error) {
	if t.json {
		t.out.Error(tag, err)
		return
	}
	t.logf("shockwave: %v", err)
}

// answer reports that a command was carried out, or that it failed if err is not nil.
func (t *commandLoop) answer(tag json.RawMessage, err error) {
	if err != nil {
		t.reportError(tag, err)
	} else if t.json {
		t.out.OK(tag)
	}
}
