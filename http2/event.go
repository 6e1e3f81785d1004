package http2

// Kind says what an Event is about.
type Kind uint8

// The kinds of events.
const (
	// None: nothing more can be made of these bytes.
	None Kind = iota
	// Headers: the head of a request (server) or of the final response (client) has arrived whole: Stream, Head,
	// EndStream.
	Headers
	// Informational: a 1xx response (client): Stream, Head. Another head will follow.
	Informational
	// Trailers: the trailer section, the last of its message: Stream, Head.Fields. EndStream is true.
	Trailers
	// HeadersTooLarge: the head of a request is larger than Config.MaxHeaderList: Stream, EndStream, and of Head no more
	// than the Method, if that came before the limit: the owner answers with 431 (RFC 6585 §5), HEAD without content,
	// and releases the stream.
	HeadersTooLarge
	// Data: bytes of a body: Stream, Data, EndStream. One frame can become several events. Data is empty only where
	// EndStream is true. The owner tells Conn.Consumed when it is done with the bytes.
	Data
	// Reset: the stream has ended before its time: Stream, Code, and Err if the peer broke a rule and we have reset
	// the stream for it (else the peer did, or its GOAWAY left the stream out). There are no more events of the stream.
	Reset
	// GoAway: the peer will take no more streams: Code, LastStream, and Data with what it says to people. A Reset with
	// RefusedStream follows for every stream of ours that it will not work on.
	GoAway
	// Settings: the peer's settings have changed: Conn.PeerMaxStreams and the like tell them. Windows may have opened.
	Settings
	// SettingsAck: the peer has acknowledged our settings.
	SettingsAck
	// Pong: the peer has answered a Ping of the owner: Opaque.
	Pong
	// Window: a window that was empty has opened: of Stream, or the connection's if Stream is nil. NextSender has
	// something to give if streams are marked ready.
	Window
	// Priority: Stream.Priority has changed (RFC 9218 §7).
	Priority
	// Refused: a stream that the owner has not learnt of, or has released, was reset because the peer broke a rule: Code,
	// Err, no Stream.
	Refused
)

// Event is one thing that has happened to a connection. What it points to (Head, Data) is borrowed until the next call
// of Conn.Next; Data is a part of what was given to it.
type Event struct {
	Kind       Kind
	EndStream  bool   // the peer has sent all of its message
	Code       Code   // of Reset, GoAway
	LastStream uint32 // of GoAway
	Opaque     uint64 // of Pong
	Stream     *Stream
	Head       *Head
	Data       []byte
	Err        *Error // of Reset, Refused
}

// Head is a header section that has passed the checks of RFC 9113 §8: names are lower-case tokens, values hold no
// control bytes, nothing is specific to a connection, pseudo-fields came first, once, and are those that the message
// must have. All of it is borrowed until the next call of Conn.Next.
type Head struct {
	// Of a request. Authority is :authority, or else the Host field; Scheme and Path are empty for CONNECT; Protocol
	// is only there for extended CONNECT (RFC 8441).
	Method, Scheme, Authority, Path, Protocol string
	// Status of a response, 100 to 999.
	Status int
	// ContentLength is -1 if there is no such field. Data that does not agree with it never arrives at the owner: the
	// stream is reset. Only what has come of a response that ends too early does, before the reset.
	ContentLength int64
	// Fields are the fields behind the pseudo-fields, in their order.
	Fields []Field
}
