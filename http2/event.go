package http2

// EventKind is the kind of an Event.
type EventKind uint8

// The kinds of events.
const (
	// EventNone: there are no more events in these bytes.
	EventNone EventKind = iota
	// EventHeaders: the complete head of a request (server) or of a final response (client). Stream, Head and EndStream are
	// set.
	EventHeaders
	// EventInformational: a 1xx response (client). Stream and Head are set. Another head will follow.
	EventInformational
	// EventTrailers: a trailer section, the end of its message. Stream and Head.Fields are set, EndStream is true.
	EventTrailers
	// EventHeadersTooLarge: the head of a request is larger than Config.MaxHeaderList or MaxFields. Stream and EndStream are
	// set. Head holds only the Method, if that came before the limit. The owner should respond with 431 (RFC 6585 §5), to
	// HEAD without content, and release the stream.
	EventHeadersTooLarge
	// EventData: bytes of a body. Stream, Data and EndStream are set. One frame can become several events. Data is empty only
	// if EndStream is true. The owner calls Conn.Consumed when it has processed the bytes.
	EventData
	// EventReset: the stream was reset. Stream and Code are set. Err is set if we reset the stream because the peer broke a
	// rule; otherwise the peer reset it, or did not process it before GOAWAY. The stream has no more events.
	EventReset
	// EventGoAway: the peer takes no more streams. Code and LastStream are set, Data holds the debug data. An EventReset
	// with ErrCodeRefusedStream follows for each of our streams that the peer will not process.
	EventGoAway
	// EventSettings: the peer has sent SETTINGS. Conn.PeerSettings returns the new values. Windows may have opened.
	EventSettings
	// EventSettingsAck: the peer has acknowledged our SETTINGS.
	EventSettingsAck
	// EventPong: the peer has answered a Ping of the owner. Opaque is set.
	EventPong
	// EventWindow: a window that was closed has opened: the window of Stream, or the connection's if Stream is nil. If streams
	// are marked ready, NextSender may return one now.
	EventWindow
	// EventPriority: Stream.Priority has changed (RFC 9218 §7).
	EventPriority
	// EventRefused: we reset a stream that the owner does not know yet, or has released, because the peer broke a rule. Code
	// and Err are set, but not Stream.
	EventRefused
)

// Event is something that happened on a connection. Head and Data are only valid until the next call of Conn.Next or
// Conn.Trim; Data is a part of the bytes that Next was given.
type Event struct {
	Kind       EventKind
	EndStream  bool    // the peer's message is complete
	Code       ErrCode // of EventReset, EventGoAway
	LastStream uint32  // of EventGoAway
	Opaque     uint64  // of EventPong
	Stream     *Stream
	Head       *Head
	Data       []byte
	Err        *Error // of EventReset, EventRefused
}

// Head is a header section that has passed the checks of RFC 9113 §8: names are lower-case tokens, values hold no control
// bytes, there are no connection-specific fields, and pseudo-fields come first, occur once and are those that the message
// must have. It is only valid until the next call of Conn.Next.
type Head struct {
	// The pseudo-fields of a request. Authority is :authority, or the Host field if there is none. Scheme and Path are
	// empty for CONNECT. Protocol is set only for extended CONNECT (RFC 8441).
	Method, Scheme, Authority, Path, Protocol string
	// Status of a response, 100 to 999.
	Status int
	// ContentLength is -1 if there is no such field. If the data does not match it, the stream is reset, and the owner
	// gets only data that matches: of a response that is too short, what there is, before the reset.
	ContentLength int64
	// Fields are the fields after the pseudo-fields, in their order.
	Fields []Field
}
