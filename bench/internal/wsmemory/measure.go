package wsmemory

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/wsload"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// text is the message that is read and written.
var text = []byte(strings.Repeat("0123456789abcdef", 64))

// perConn is how many messages a connection carries. It is large, so that opening and closing the connection do not matter.
const perConn = 625 * piled

// measureReading reads one connection after the other for d. On the first, which does not count, it compares every byte, and
// on the others the length and the last byte of each message.
func measureReading(begin func(s *stream, got func(p []byte)) (func() error, error), d time.Duration) (map[string]float64, error) {
	frame := wsload.Frame(wsframe.Final(wsframe.Text), text)
	var total clock
	for first, end := true, time.Now().Add(d); first || total.n == 0 || time.Now().Before(end); first = false {
		s, right := newStream(frame, perConn), 0
		run, err := begin(s, func(p []byte) {
			if len(p) == len(text) && p[len(p)-1] == text[len(text)-1] && (!first || bytes.Equal(p, text)) {
				right++
			}
		})
		if err != nil {
			return nil, err
		}
		var c clock
		c.start()
		close(s.started)
		err = run()
		c.stop(perConn)
		if right != perConn {
			return nil, fmt.Errorf("%d of %d messages were read as they were sent: %w", right, perConn, err)
		}
		if !first {
			total.add(&c)
		}
	}
	return total.figures(), nil
}

// measureWriting writes messages on one connection for d. It compares the first frame, and the length of all.
func measureWriting(begin func(s *stream) (func(p []byte) error, error), d time.Duration) (map[string]float64, error) {
	s := newStream(nil, 0)
	write, err := begin(s)
	if err != nil {
		return nil, err
	}
	kind := wsframe.Final(wsframe.Text)
	want := append(wsframe.Append(nil, wsframe.Header{Kind: kind, Length: int64(len(text))}), text...)
	s.keep = true
	if err := write(text); err != nil || !bytes.Equal(s.got, want) {
		return nil, fmt.Errorf("%d bytes were written, and not as they must be: %w", len(s.got), err)
	}
	s.keep, s.written, s.writes = false, 0, 0
	var total clock
	for end := time.Now().Add(d); total.n == 0 || time.Now().Before(end); {
		var c clock
		c.start()
		for range perConn {
			if err := write(text); err != nil {
				return nil, err
			}
		}
		c.stop(perConn)
		total.add(&c)
	}
	if s.written != total.n*len(want) {
		return nil, fmt.Errorf("%d messages were written as %d bytes", total.n, s.written)
	}
	v := total.figures()
	v[Writes] = float64(s.writes) / float64(total.n)
	return v, nil
}
