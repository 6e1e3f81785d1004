package peergone

import (
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// line is a Transport whose input comes by a channel.
type line struct {
	may, long bool
	in        chan string // what a read gets: "" is a wake, "end" the end
	gone      bool
	reads     int
}

var errWoken = errors.New("woken")

func (l *line) MayRead() bool        { return l.may }
func (l *line) Woken(err error) bool { return err == errWoken }
func (l *line) NoteGone()            { l.gone = true }
func (l *line) Long() bool           { return l.long }
func (l *line) Over() bool           { return l.gone }

func (l *line) Read(p []byte) (int, error) {
	l.reads++
	switch s := <-l.in; s {
	case "":
		return 0, errWoken
	case "end":
		return 0, io.EOF
	default:
		return copy(p, s), nil
	}
}

// TestReader: one read at a time goes on, until input has come, which is kept, the peer has gone, which is noted, or it is stopped.
func TestReader(t *testing.T) {
	for name, c := range map[string]struct {
		in    []string
		stop  bool
		input string
		gone  bool
	}{
		"input":          {in: []string{"abc"}, input: "abc"},
		"woken, input":   {in: []string{"", "", "abc"}, input: "abc"},
		"end":            {in: []string{"end"}, gone: true},
		"woken, stopped": {in: []string{""}, stop: true},
		"stopped, input": {in: []string{"abc"}, stop: true, input: "abc"},
	} {
		synctest.Test(t, func(t *testing.T) {
			l := &line{may: true, in: make(chan string)}
			var r Reader
			b := r.Start(l)
			if b == nil || r.Start(l) != b {
				t.Errorf("%s: no read, or two", name)
			}
			if r.Take() != b || r.Take() != nil {
				t.Errorf("%s: the read was not taken", name)
			}
			if c.stop {
				b.Stop()
			}
			for _, s := range c.in {
				l.in <- s
			}
			b.Wait()
			if string(b.Input()) != c.input || l.gone != c.gone || l.reads != len(c.in) {
				t.Errorf("%s: %q, gone: %t, %d reads", name, b.Input(), l.gone, l.reads)
			}
			b.Release()
		})
	}
	l := &line{}
	if new(Reader).Start(l) != nil {
		t.Error("a read of what may not be read")
	}
}

// TestSees: the first look gives a read that has just begun a moment, if the message has taken long; later looks do not wait.
func TestSees(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &line{may: true, in: make(chan string)}
		var r Reader
		begin := time.Now()
		if r.Sees(l) || time.Since(begin) != 0 {
			t.Errorf("a short message waits %v", time.Since(begin))
		}
		l.in <- "end"
		r.Take().Wait()
		if l.may = false; !r.Sees(l) {
			t.Error("the end is not seen")
		}
		l = &line{may: true, long: true, in: make(chan string)}
		time.AfterFunc(moment/2, func() { l.in <- "end" })
		if !r.Sees(l) || time.Since(begin) != moment/2 {
			t.Errorf("the end was not waited for: %v", time.Since(begin))
		}
		r.Take()
		l = &line{may: true, long: true, in: make(chan string)}
		begin = time.Now()
		for range 2 {
			if r.Sees(l) || time.Since(begin) != moment {
				t.Errorf("the looks wait %v, want a moment", time.Since(begin))
			}
		}
		l.in <- "end"
	})
}
