package http2

// State is the state of a stream (RFC 9113 §5.1). There are no reserved states, because nothing is pushed.
type State uint8

// The states of a stream.
//
//	            HEADERS                END_STREAM of the peer
//	Idle ──────────────────► Open ───────────────────────────► HalfClosedRemote
//	                          │ our END_STREAM                        │ our END_STREAM
//	                          ▼        END_STREAM of the peer         ▼
//	                   HalfClosedLocal ───────────────────────────► Closed ◄── RST_STREAM of anyone
const (
	StateIdle             State = iota // not open; or opened by Conn.Open, and its HEADERS were not appended yet
	StateOpen                          // both sides may send
	StateHalfClosedLocal               // we have sent all of our message
	StateHalfClosedRemote              // the peer has sent all of its message
	StateClosed                        // both have, or one of them has reset the stream
)

// phase is the state of a stream together with what the connection must remember of how it came to be: a stream stays in
// the table until its owner has released it.
//
//	idle ──► open ──► received ──► complete        our END_STREAM last
//	           └────► sent ──────► complete        the peer's END_STREAM last
//	                    └── Release ──► discarding ──► discarded
//	any of them ──► reset, canceled, excluded
type phase uint8

const (
	phaseIdle       phase = iota
	phaseOpen             // both sides may send
	phaseSent             // we have sent all of our message
	phaseReceived         // the peer has sent all of its message
	phaseDiscarding       // as phaseSent, and the stream was released: the rest of the peer's message is discarded
	phaseComplete         // both messages are complete
	phaseReset            // either side has reset the stream
	phaseCanceled         // the peer has reset it at once, while the owner had just begun
	phaseExcluded         // the peer's GOAWAY says that it has not worked on it: its EventReset is still to come
	phaseDiscarded        // as one of the closed phases, after phaseDiscarding
	phases                // the number of phases
)

var phaseStates = [phases]State{
	phaseIdle: StateIdle, phaseOpen: StateOpen, phaseSent: StateHalfClosedLocal, phaseReceived: StateHalfClosedRemote,
	phaseDiscarding: StateHalfClosedLocal, phaseComplete: StateClosed, phaseReset: StateClosed, phaseCanceled: StateClosed,
	phaseExcluded: StateClosed, phaseDiscarded: StateClosed,
}

// closed reports whether nothing more is sent or received.
func (p phase) closed() bool { return p >= phaseComplete }

// released reports whether the owner has released the stream.
func (p phase) released() bool { return p == phaseDiscarding || p == phaseDiscarded }

// mayReceive reports whether the peer has not ended its message.
func (p phase) mayReceive() bool { return p == phaseOpen || p == phaseSent || p == phaseDiscarding }

// maySend reports whether we have not ended our message.
func (p phase) maySend() bool { return p == phaseOpen || p == phaseReceived }
