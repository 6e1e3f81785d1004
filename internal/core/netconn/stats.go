package netconn

import "sync/atomic"

// Stats is a snapshot of an engine's counters.
type Stats struct {
	Accepted     int64 // connections accepted since the start
	Open         int64 // connections open now
	Active       int64 // open connections that have a goroutine
	Parked       int64 // open connections that are parked
	BytesIn      int64 // received from the transport; with TLS, before decryption
	BytesOut     int64 // handed to the transport, with TLS after encryption
	AcceptErrors int64 // failed accepts that were tried again
	Slow         int64 // connections ended because the peer was too slow
	Panics       int64 // panics and runtime.Goexit calls of protocols
}

// counters are an engine's running totals. The hottest two have cache lines of their own.
type counters struct {
	bytesIn                                            atomic.Int64
	_                                                  [56]byte
	bytesOut                                           atomic.Int64
	_                                                  [56]byte
	accepted, open, parked, acceptErrors, slow, panics atomic.Int64
}

func (s *counters) in(n int)  { s.bytesIn.Add(int64(n)) }
func (s *counters) out(n int) { s.bytesOut.Add(int64(n)) }

// active returns how many connections have a goroutine.
func (s *counters) active() int64 { return s.open.Load() - s.parked.Load() }

// Stats returns the current counters.
func (e *core) Stats() Stats {
	s := &e.stats
	open, parked := s.open.Load(), s.parked.Load()
	return Stats{
		Accepted: s.accepted.Load(), Open: open, Active: open - parked, Parked: parked,
		BytesIn: s.bytesIn.Load(), BytesOut: s.bytesOut.Load(),
		AcceptErrors: s.acceptErrors.Load(), Slow: s.slow.Load(), Panics: s.panics.Load(),
	}
}
