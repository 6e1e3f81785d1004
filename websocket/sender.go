package websocket

import (
	"net"
	"os"
	"sync"
	"sync/atomic"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/backlog"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

// sender is the sending half of a connection: messages, control frames, and the messages that wait for a slow peer. It
// knows nothing of reading. Any goroutine may call its methods.
type sender struct {
	life
	link        *netconn.Link
	cfg         *connConfig
	compress    *permessage.Contexts // nil without permessage-deflate
	role        wsframe.Role
	compressOff atomic.Bool // EnableWriteCompression(false) was called
	inLine      atomic.Bool // copy of line.Moving: a write has to wait in line

	mu    sync.Mutex               // guards line and pongs, and is held while something is posted that has to be in order with them
	line  *backlog.Line            // nil until a message has to wait
	pongs map[string]chan struct{} // the payloads of pings sent by Ping, with channels closed by their pongs
}

// compresses reports whether a message of n bytes is to be compressed.
func (s *sender) compresses(n int) bool {
	return s.compress != nil && n >= s.cfg.threshold && !s.compressOff.Load()
}

// writable reports whether something can be written now: the connection is not over, and the write deadline has not
// passed.
func (s *sender) writable() bool { return !s.over.Load() && !s.link.WriteExpired() }

// notWritableError returns why nothing can be written now. If only the write deadline has passed, the connection is not
// over.
func (s *sender) notWritableError() error {
	if s.over.Load() {
		return ErrClosed
	}
	if err := s.link.WriteError(); err != nil {
		return writeError(err)
	}
	return os.ErrDeadlineExceeded
}

// owner returns the owner of the connection.
func (s *sender) owner() owner { return s.link.Owner().(owner) }

// endWith marks the connection as over because of err. Calls after the first one do nothing.
func (s *sender) endWith(err error) {
	s.fail(err)
	s.owner().leave()
	if !s.markOver() {
		return
	}
	s.cfg.open.Add(-1)
	s.mu.Lock()
	if s.line != nil {
		s.line.Fail(net.ErrClosed)
	}
	s.mu.Unlock()
	s.wake()
	s.link.SetAlarm(0)
}

// dropContexts releases the memory kept between compressed messages, when the connection is over or failed to open. Nothing
// reads any more. If a goroutine is still writing, the compressor's memory is left to the garbage collector.
func (s *sender) dropContexts() {
	if s.compress == nil {
		return
	}
	s.compress.Release()
	if s.link == nil { // it has not been opened
		s.compress.ReleaseCompressor()
	} else if s.link.TryParts() {
		s.compress.ReleaseCompressor()
		s.link.EndParts()
	}
}
