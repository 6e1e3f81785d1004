package session

import (
	"slices"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// ErrCut is the error of a stream that ends inside its header.
var ErrCut = &h3frame.Error{Code: h3frame.FrameError, Violation: shockwave.Violation{Rule: "draft-ietf-webtrans-http3 §4", Msg: "stream that ends inside its header"}}

// waitingStream is a stream whose session is not open yet.
type waitingStream struct {
	id     uint64 // of the session
	give   func(to Guest)
	refuse func(code h3frame.Code)
	late   *time.Timer
}

// waitingStreams are the waiting streams of a connection.
type waitingStreams []*waitingStream

// maxWaiting is how many streams of a connection may wait for their sessions.
const maxWaiting = 16

// hasRoom reports whether one more stream may wait.
func (s waitingStreams) hasRoom() bool { return len(s) < maxWaiting }

// add adds w.
func (s *waitingStreams) add(w *waitingStream) { *s = append(*s, w) }

// remove removes w. It returns false if w no longer waits.
func (s *waitingStreams) remove(w *waitingStream) bool {
	i := slices.Index(*s, w)
	if i >= 0 {
		*s = slices.Delete(*s, i, i+1)
	}
	return i >= 0
}

// take removes and returns the streams that wait for a session.
func (s *waitingStreams) take(id uint64) (taken []*waitingStream) {
	*s = slices.DeleteFunc(*s, func(w *waitingStream) bool {
		if w.id != id {
			return false
		}
		w.late.Stop()
		taken = append(taken, w)
		return true
	})
	return taken
}
