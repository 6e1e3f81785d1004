package wsmemory

import (
	"errors"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/wspeer"
)

// Every task can be measured, and what it reads and writes is right.
func TestEveryTaskIsDoneRight(t *testing.T) {
	for _, task := range []string{Read, Message, Write, Mask, UTF8} {
		for _, name := range Peers(task) {
			v, err := Measure(task, name, time.Millisecond)
			if err != nil || v[Nanoseconds] <= 0 {
				t.Errorf("%s of %s: got %v, %v", task, name, v, err)
			}
		}
	}
}

// A task that a peer does not have is ErrNone.
func TestTasksThatNobodyHas(t *testing.T) {
	for _, tc := range [][2]string{{Message, wspeer.Callbacks}, {Mask, wspeer.GWS}, {Read, "apache"}, {"sing", wspeer.Blocking}} {
		if _, err := Measure(tc[0], tc[1], time.Millisecond); !errors.Is(err, ErrNone) {
			t.Errorf("%s of %s: %v, want ErrNone", tc[0], tc[1], err)
		}
	}
}

// A reader that gets a wrong message is not measured.
func TestAWrongMessageLeavesNoFigures(t *testing.T) {
	begin := func(*stream, func([]byte)) (func() error, error) { return func() error { return nil }, nil }
	if v, err := measureReading(begin, time.Millisecond); err == nil {
		t.Errorf("a reader that reads nothing has the figures %v", v)
	}
	if v, err := measureWriting(func(s *stream) (func([]byte) error, error) {
		return func(p []byte) error { _, err := s.Write(p); return err }, nil
	}, time.Millisecond); err == nil {
		t.Errorf("a writer without headers has the figures %v", v)
	}
}
