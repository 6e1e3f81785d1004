// Package http1 parses and writes HTTP/1.1 and HTTP/1.0 messages (RFC 9112). It does no I/O, takes no lock, reads no
// clock and allocates nothing; it refuses what the grammar refuses and repairs nothing.
package http1

import "github.com/shockwave-go/shockwave"

// Limits bound what a head may hold. A zero field is its default, a negative one is no limit.
type Limits struct {
	HeadBytes      int // request line or status line, fields and the empty line; default 64 KiB; beyond: 431
	TargetBytes    int // request-target; default: half of HeadBytes (no less than 8 KiB); beyond: 414
	Fields         int // field lines of a head or of a trailer section; default 200; beyond: 431
	TrailerBytes   int // trailer section; default 8 KiB
	ExtensionBytes int // all chunk extensions of one body together; default 16 KiB
}

// TargetForm is the form of a request-target (RFC 9112 §3.2).
type TargetForm uint8

const (
	OriginForm    TargetForm = iota // "/where?q=now"
	AbsoluteForm                    // "http://host/where?q=now"
	AuthorityForm                   // "host:80", CONNECT only
	AsteriskForm                    // "*", OPTIONS only
)

// Delimiter says how the end of a message's body is found (RFC 9112 §6.3).
type Delimiter uint8

const (
	NoBody   Delimiter = iota // there is none
	ByLength                  // Content-Length
	ByChunks                  // chunked transfer coding
	ByClose                   // the end of the connection; responses only
)

// Framing is how a message's body is delimited.
type Framing struct {
	Delimiter Delimiter
	Length    int64 // of the body, for ByLength
}

// Request is a request head. Every slice borrows the bytes given to Parse and is valid as long as they are.
// The zero value is ready to parse with default limits.
type Request struct {
	Limits Limits

	Method    []byte // token, case kept
	Target    []byte // request-target as received
	Form      TargetForm
	Scheme    []byte           // absolute-form only
	Authority []byte           // absolute-form and authority-form
	Path      []byte           // origin-form and absolute-form; "*" for asterisk-form; empty in absolute-form means "/"
	Query     []byte           // after the first "?", without it
	HasQuery  bool             // there was a "?"
	Host      []byte           // effective host (RFC 9110 §7.1): authority of an absolute target, else the Host field
	Minor     int              // 1 for HTTP/1.1, 0 for HTTP/1.0
	Header    shockwave.Header // its Bytes are the head from the first byte of the request line on
	Framing   Framing
	KeepAlive bool // the connection may be used again after this exchange (RFC 9112 §9.3)
	Expect    bool // Expect: 100-continue on HTTP/1.1 (RFC 9110 §10.1.1)
	BadExpect bool // an expectation other than 100-continue: answer 417
	Upgrade   bool // Connection lists "upgrade" and an Upgrade field is there (RFC 9110 §7.8)

	// unexported: how far the scan for the end of the head has come
}

// Parse reads a request head from the start of b. It returns how many bytes the head takes, 0 when b does not hold
// the whole head yet: call again with a longer b whose start is the same. Empty lines before the request line are
// skipped and counted (RFC 9112 §2.2), at most a few. An error is an *Error that names the status to answer with;
// bad bytes are refused as soon as they are seen where that costs nothing, and always when the head is whole.
// Before the next message call Reset.
func (r *Request) Parse(b []byte) (n int, err error) { panic("http1: Parse") }

// Reset forgets the message and keeps Limits and memory.
func (r *Request) Reset() { panic("http1: Reset") }

// Response is a response head. As with Request, its slices borrow the bytes given to Parse.
type Response struct {
	Limits Limits

	Minor     int
	Status    int
	Reason    []byte
	Header    shockwave.Header
	Framing   Framing
	KeepAlive bool
	Upgrade   bool
}

// Parse reads a response head from the start of b as Request.Parse does. method is the method of the request it
// answers: it decides whether there can be a body.
func (r *Response) Parse(b []byte, method string) (n int, err error) { panic("http1: Parse") }

// Reset forgets the message and keeps Limits and memory.
func (r *Response) Reset() { panic("http1: Reset") }

// Body decodes a message body of any Framing. The zero value is a body that has ended.
type Body struct{}

// Start prepares for a body of framing f under limits l.
func (d *Body) Start(f Framing, l Limits) { panic("http1: Start") }

// Next decodes from the start of b. data is a part of b and may be empty; n is how many bytes of b were taken,
// framing and data together. data empty and n == 0 means that more bytes are needed, or that Done is true.
// One call gives out at most one run of data; call until n is 0 or Done.
func (d *Body) Next(b []byte) (data []byte, n int, err error) { panic("http1: Next") }

// Done tells whether the body and its trailers have ended.
func (d *Body) Done() bool { panic("http1: Done") }

// Remaining returns how many bytes of data are known to come without framing between them: what is left of a
// Content-Length body, or of the current chunk. A reader may take that many from the connection directly and say so with Skip.
func (d *Body) Remaining() int64 { panic("http1: Remaining") }

// Skip says that n bytes of data, no more than Remaining, were taken elsewhere.
func (d *Body) Skip(n int64) { panic("http1: Skip") }

// End says that the connection ended: nil for a body that is Done or ends by close, else io.ErrUnexpectedEOF.
func (d *Body) End() error { panic("http1: End") }

// Trailer holds the trailer fields of a chunked body once Done is true; it owns its bytes.
func (d *Body) Trailer() *shockwave.Header { panic("http1: Trailer") }

// Error is a broken rule of HTTP/1.
type Error struct {
	Status int // what a server answers: 400, 414, 431, 501, 505
	Who    shockwave.Blame
	Rule   string // "RFC 9112 §5.1"
	Msg    string
}

// Error returns the message with its rule.
func (e *Error) Error() string { return "http1: " + e.Msg + " (" + e.Rule + ")" }

// Blame says who broke the protocol.
func (e *Error) Blame() shockwave.Blame { return e.Who }

// Reference names the rule.
func (e *Error) Reference() string { return e.Rule }

// AppendStatusLine appends "HTTP/1.1 200 OK\r\n"; an empty reason stands for the registered phrase of code.
func AppendStatusLine(dst []byte, code int, reason string) []byte { panic("http1") }

// AppendRequestLine appends "GET /target HTTP/1.1\r\n". ok is false, and dst unchanged, if method is no token or target holds
// a byte that no request-target may hold.
func AppendRequestLine(dst []byte, method, target string) (_ []byte, ok bool) { panic("http1") }

// AppendField appends "Name: value\r\n". ok is false, and dst unchanged, when name is no token or value holds a
// control byte other than HTAB (RFC 9110 §5.5): what would split a message never reaches the wire.
func AppendField(dst []byte, name, value string) (_ []byte, ok bool) { panic("http1") }

// AppendHeader appends every line of h. ok is false, and dst unchanged, when AppendField would refuse one of them.
func AppendHeader(dst []byte, h *shockwave.Header) (_ []byte, ok bool) { panic("http1") }

// AppendChunkSize appends the size line of a chunk of n > 0 bytes.
func AppendChunkSize(dst []byte, n int) []byte { panic("http1") }

// AppendLastChunk appends the last chunk, the trailer fields (nil for none) and the empty line.
// Fields that may not be trailers (RFC 9110 §6.5.1: framing, routing, authentication, …) are left out.
func AppendLastChunk(dst []byte, trailer *shockwave.Header) []byte { panic("http1") }

// ValidToken, ValidFieldValue, ValidHost tell whether s obeys the grammar.
func ValidToken(s []byte) bool      { panic("http1") }
func ValidFieldValue(s []byte) bool { panic("http1") }
func ValidHost(s []byte) bool       { panic("http1") }

// StatusText returns the registered reason phrase of code, or "".
func StatusText(code int) string { panic("http1") }

// ForbiddenTrailer tells whether a field must not be sent or merged as a trailer.
func ForbiddenTrailer(name []byte) bool { panic("http1") }
