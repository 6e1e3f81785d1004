package http2

// AppendHeaders appends a header section in HEADERS and as many CONTINUATION frames as the peer's SETTINGS_MAX_FRAME_SIZE
// makes it take: a request, an informational or final response, or trailers. Pseudo-fields come first, names are
// lower-case, and nothing is specific to a connection; that is the owner's business (see ValidField). endStream ends
// our message. On a stream that takes no more of ours nothing is appended.
func (c *Conn) AppendHeaders(dst []byte, s *Stream, fields []Field, endStream bool) []byte {
	return dst
}

// BeginHeaders begins a header section whose fields are appended one by one, with AppendStatus, AppendField and
// AppendSensitive, until EndHeaders. Nothing else may be appended between them, dst only be given on, and the header
// section be given up only together with the connection.
func (c *Conn) BeginHeaders(dst []byte, s *Stream) []byte { return dst }

// AppendStatus appends the :status of a response. It comes first.
func (c *Conn) AppendStatus(dst []byte, status int) []byte { return dst }

// AppendField appends a field to the header section that was begun.
func (c *Conn) AppendField(dst []byte, name, value string) []byte { return dst }

// AppendFieldBytes is AppendField for a value in bytes, which are copied.
func (c *Conn) AppendFieldBytes(dst []byte, name, value []byte) []byte { return dst }

// AppendSensitive is AppendField for a field that is kept out of all tables (RFC 7541 §7.1.3).
func (c *Conn) AppendSensitive(dst []byte, name, value string) []byte { return dst }

// EndHeaders ends the header section that was begun.
func (c *Conn) EndHeaders(dst []byte, endStream bool) []byte { return dst }

// AppendData appends as much of p as the windows let through now, in as many DATA frames as it takes, and returns how
// much that was. endStream ends our message with the last byte of p; if p is empty no window is needed for that. The
// rest waits for NextSender if the stream is marked ready.
func (c *Conn) AppendData(dst []byte, s *Stream, p []byte, endStream bool, now int64) ([]byte, int) {
	return dst, 0
}

// AppendDataHeader appends only the header of one DATA frame with at most n bytes, for an owner that sends the bytes
// from elsewhere right behind it, and returns how many they must be; 0 if the windows let none through. endStream holds
// if all n fit.
func (c *Conn) AppendDataHeader(dst []byte, s *Stream, n int, endStream bool, now int64) ([]byte, int) {
	return dst, 0
}

// Ready marks a stream that has DATA to send. It stays so until Unready, or until our message or the stream has ended.
func (c *Conn) Ready(s *Stream, now int64) {}

// Unready takes Ready back: the stream has nothing to send for now.
func (c *Conn) Unready(s *Stream) {}

// NextSender returns the stream that is to send next, or nil if no stream that is ready has a window: the most urgent
// (RFC 9218 §10), among equals the one with the lowest identifier, in turns with the incremental ones, which take turns
// among themselves. Streams whose client never says a word about priorities are incremental. It is the owner's to append
// DATA of that stream; how much at once is how fair it is.
func (c *Conn) NextSender() *Stream { return nil }

// SetPriority sets a stream's priority, as a response's priority field would (RFC 9218 §8).
func (c *Conn) SetPriority(s *Stream, p PriorityParams) {}

// AppendPriorityUpdate appends a PRIORITY_UPDATE frame for a stream of ours: of a client (RFC 9218 §7.1).
func (c *Conn) AppendPriorityUpdate(dst []byte, s *Stream, p PriorityParams) []byte { return dst }
