package http2

// Conn is one end of a connection. Nothing of it may be used by two goroutines at once.
type Conn struct{}

// NewServer returns the server's end of a connection. Its SETTINGS wait in AppendPending already: a server need not
// wait for the client to send them (RFC 9113 §3.4).
func NewServer(cfg Config, now int64) *Conn { return nil }

// NewClient returns the client's end of a connection. Its preface and SETTINGS wait in AppendPending already.
func NewClient(cfg Config, now int64) *Conn { return nil }

// Upgrade makes a stream 1 of the request with which an HTTP/1.1 connection became this one (RFC 7540 §3.2). On a
// server settings is the value of its HTTP2-Settings field, which is applied without an acknowledgement; the client's
// preface still follows on the connection. The stream is half-closed on the client's side. It must be the first call.
func (c *Conn) Upgrade(settings string) (*Stream, error) { return nil, nil }

// Next takes bytes that have arrived, as far as the next event, and returns how many it took. Frames may be cut
// anywhere. With Kind None it has done what it could: the owner keeps the rest of in (at most 300 bytes), and calls
// again when more has come behind them.
//
// An error is the connection's (RFC 9113 §5.4.1) and always a *Error: nothing more is taken, a GOAWAY is the last of
// what is pending, and streams have no more events. What is not an error of the connection is told in a Reset event, or
// not at all if the owner did not know the stream.
func (c *Conn) Next(in []byte, now int64) (ev Event, n int, err error) { return Event{}, 0, nil }

// End is told that the peer has closed its side: it returns io.EOF if a connection may end there, and
// io.ErrUnexpectedEOF if a frame or a stream was left unfinished.
func (c *Conn) End() error { return nil }

// AppendPending appends what the connection has to say by itself: acknowledgements, window updates, resets, GOAWAY.
func (c *Conn) AppendPending(dst []byte) []byte { return dst }

// Pending tells whether AppendPending has something to append.
func (c *Conn) Pending() bool { return false }

// Deadline returns when Tick is to be called, or 0 if nothing waits for time.
func (c *Conn) Deadline() int64 { return 0 }

// Tick does what is due at now: it ends a connection whose SETTINGS were not acknowledged (SETTINGS_TIMEOUT, an error
// as Next's), goes on with a Shutdown, and resets streams that wait for a window for too long. Each of those is a Reset
// event; the owner calls again until Kind is None.
func (c *Conn) Tick(now int64) (Event, error) { return Event{}, nil }

// Open begins a stream of ours: that of a client. The next header section that is appended must be that stream's. The
// error is ErrTooManyStreams, ErrGoingAway, ErrStreamIDs or what ended the connection.
func (c *Conn) Open(owner any) (*Stream, error) { return nil, nil }

// Stream returns the stream with the identifier if the owner has not released it yet.
func (c *Conn) Stream(id uint32) *Stream { return nil }

// Streams calls yield for every stream that was not released, in no order. The connection must not be changed meanwhile.
func (c *Conn) Streams(yield func(*Stream) bool) {}

// Len returns how many streams were not released.
func (c *Conn) Len() int { return 0 }

// Release gives the stream back: the owner keeps no pointer to it. One that has not ended is reset: with NO_ERROR if
// we have sent all of our message as a server (the rest of the request is not needed, RFC 9113 §8.1), else with CANCEL.
// What was received and not consumed is consumed. The RST_STREAM waits in AppendPending.
func (c *Conn) Release(s *Stream) {}

// Reset ends a stream with RST_STREAM, which waits in AppendPending. The owner releases it as ever. On a stream that
// has ended it does nothing.
func (c *Conn) Reset(s *Stream, code Code) {}

// Consumed tells that the owner is done with n bytes of a stream's Data. When half a window has been, the peer is told
// that it may send as much again, in AppendPending; windows grow here.
func (c *Conn) Consumed(s *Stream, n int, now int64) {}

// Fail ends the connection for a reason of the owner's: GOAWAY waits in AppendPending, as the last.
func (c *Conn) Fail(code Code, debug string) {}

// Shutdown begins to end the connection gracefully, in two steps (RFC 9113 §6.8): GOAWAY that still lets all streams
// through, and when the peer must have seen it (a PING comes back, or 1 s has passed) GOAWAY with the last stream we
// took. Streams that the peer opens behind that are ignored.
func (c *Conn) Shutdown(now int64) {}

// Drained tells whether a connection that shuts down, at either end's wish, has nothing left to do.
func (c *Conn) Drained() bool { return false }

// Ping asks the peer to answer with a Pong event. Opaque values with the highest bit set are the connection's own.
func (c *Conn) Ping(opaque uint64) {}

// Trim gives back memory that an idle connection does not need. The owner calls it when it parks the connection.
func (c *Conn) Trim() {}

// PeerMaxStreams returns how many streams we may have open at once: of a client.
func (c *Conn) PeerMaxStreams() uint32 { return 0 }

// PeerMaxHeaderList returns how large a header section the peer wants to take at most.
func (c *Conn) PeerMaxHeaderList() uint32 { return 0 }

// PeerConnectProtocol tells whether the server takes extended CONNECT (RFC 8441 §3).
func (c *Conn) PeerConnectProtocol() bool { return false }

// SendWindow returns how many bytes of DATA the connection's window lets through now.
func (c *Conn) SendWindow() int { return 0 }

// RTT returns the shortest round trip that was seen, in nanoseconds, or 0.
func (c *Conn) RTT() int64 { return 0 }
