package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/jsontalk"
)

// commandLoop is what programs that take commands have in common: they hear lines of JSON, or what is typed, and answer.
type commandLoop struct {
	con  console
	json bool             // lines are commands, and what is written are events
	out  *jsontalk.Output // of events, or of messages that are shown
	done chan struct{}    // closed when nothing more is to be taken from stdin
	once sync.Once        // closes it
}

// commandTaker is such a program: what becomes of a line.
type commandTaker interface {
	command(line []byte)      // is one that must be a command
	line(line []byte)         // is one that is a message
	inputEnded()              // is told the end of stdin
	room(ctx context.Context) // waits until further lines may be read
}

// hear has l carry out what stdin says, until it ends or a command ends the run.
func (t *commandLoop) hear(stdin io.Reader, l commandTaker) {
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
			t.complain(nil, jsontalk.Bad("%v", err))
		case err != nil:
			if err != io.EOF {
				t.note("shockwave: standard input: %v", err)
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

// end has nothing more taken from stdin.
func (t *commandLoop) end() { t.once.Do(func() { close(t.done) }) }

// note writes a line that is not for a script.
func (t *commandLoop) note(format string, args ...any) { fmt.Fprintf(t.con.err, format+"\n", args...) }

// complain tells that a command failed.
func (t *commandLoop) complain(tag json.RawMessage, err error) {
	if t.json {
		t.out.Error(tag, err)
		return
	}
	t.note("shockwave: %v", err)
}

// answer is complain, or tells that a command was carried out if err is nil.
func (t *commandLoop) answer(tag json.RawMessage, err error) {
	if err != nil {
		t.complain(tag, err)
	} else if t.json {
		t.out.OK(tag)
	}
}
