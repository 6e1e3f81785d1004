package http1

// Delimiter tells how the end of a message's body is found (RFC 9112 §6.3).
type Delimiter uint8

const (
	NoBody   Delimiter = iota // there is no body
	ByLength                  // Content-Length
	ByChunks                  // chunked transfer coding
	ByClose                   // the end of the connection; responses only
)

// Framing tells how a message's body is delimited.
type Framing struct {
	Delimiter Delimiter
	Length    int64 // of the body, for ByLength
}

// message holds what the framing of a message depends on, besides its fields.
type message struct {
	minor  int
	status int    // 0 for a request
	method string // of the request that a response belongs to
}

// framing decides how the body of a message is delimited, for requests and responses (RFC 9112 §6.3; the comments give
// its rule numbers). No other code in this package decides that.
func (m message) framing(f *facts) (Framing, *Error) {
	response := m.status != 0
	// Rules 1 and 2: the framing fields of such a response describe another message, or nothing.
	if response && m.bodiless() {
		return Framing{}, nil
	}
	if f.coding != noCoding {
		// Rule 3 lets a server repair a message with both; RFC 9112 §6.1 asks it to close. Requests and responses are
		// refused.
		if f.hasLength {
			return Framing{}, errTwoFramings
		}
		if m.minor == 0 {
			return Framing{}, errCodingOld
		}
		// Rule 4. A response whose final coding is not chunked would end by close, but its codings are unknown here.
		if err := f.coding.refused(); err != nil {
			return Framing{}, err
		}
		return Framing{Delimiter: ByChunks}, nil
	}
	switch {
	case f.hasLength: // rule 6; rule 5, a bad length, was refused when it was read
		return Framing{Delimiter: ByLength, Length: f.length}, nil
	case response: // rule 8
		return Framing{Delimiter: ByClose}, nil
	}
	return Framing{}, nil // rule 7
}

// bodiless reports whether a response cannot have a body, whatever its fields say.
func (m message) bodiless() bool {
	return m.method == "HEAD" || headOnly(m.status, m.method == "CONNECT")
}

// headOnly reports whether a response with this status ends with its head, or is followed by another protocol.
func headOnly(status int, connect bool) bool {
	return status < 200 || status == 204 || status == 304 || connect && status < 300
}

// AllowsBody reports whether a sender may give a response with this status a body (RFC 9110 §6.4.1). connect reports
// that it is the response to CONNECT: then the tunnel begins after the head of a 2xx (§9.3.6). A 205 must have no body (§15.3.6),
// but a recipient of one relies on its fields. A response to HEAD has the body that GET would get, although it is not
// sent.
func AllowsBody(status int, connect bool) bool {
	return !headOnly(status, connect) && status != 205
}

// refused returns the error for a message with this list of transfer codings, nil if it can be read.
func (c coding) refused() *Error {
	switch c {
	case onlyChunked:
		return nil
	case otherChunked:
		return errCoding
	case chunkedTwice:
		return errCodingTwice
	case badCoding:
		return errCodingSyn
	}
	return errCodingLast
}

// AboutCoding reports whether err refuses a message because of its list of transfer codings: the list is malformed,
// does not end in chunked, or has an unknown coding (RFC 9112 §6.1, §6.3).
func AboutCoding(err *Error) bool {
	switch err {
	case errCoding, errCodingTwice, errCodingSyn, errCodingLast:
		return true
	}
	return false
}
