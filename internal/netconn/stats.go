package netconn

import "sync/atomic"

// Stats is a snapshot of an engine's counters.
type Stats struct {
	Accepted     int64 // connections accepted since the start
	Open         int64 // connections open now
	Active       int64 // of those, with a goroutine
	Parked       int64 // of those, in the lot
	BytesIn      int64 // received from the transport; cipher text with TLS
	BytesOut     int64 // handed to the transport; while they only write, connections pulled for good tell every 64 KiB
	AcceptErrors int64 // failed accepts that were tried again
	Slow         int64 // connections ended because the peer was too slow
	Panics       int64 // runs of Data that panicked
}

// counters are an engine's running totals. Those of the hot path stand on cache lines of their own.
type counters struct {
	bytesIn                                            atomic.Int64
	_                                                  [56]byte
	bytesOut                                           atomic.Int64
	_                                                  [56]byte
	accepted, open, parked, acceptErrors, slow, panics atomic.Int64
}

func (s *counters) in(n int)  { s.bytesIn.Add(int64(n)) }
func (s *counters) out(n int) { s.bytesOut.Add(int64(n)) }

// Stats returns the counters as they are now.
func (e *core) Stats() Stats {
	s := &e.stats
	open, parked := s.open.Load(), s.parked.Load()
	return Stats{
		Accepted: s.accepted.Load(), Open: open, Active: open - parked, Parked: parked,
		BytesIn: s.bytesIn.Load(), BytesOut: s.bytesOut.Load(),
		AcceptErrors: s.acceptErrors.Load(), Slow: s.slow.Load(), Panics: s.panics.Load(),
	}
}
