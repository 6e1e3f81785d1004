package http1

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

// message is what the framing of a message depends on besides its fields.
type message struct {
	minor  int
	status int    // 0 for a request
	method string // of the request that a response answers
}

// framing decides how the body of a message is delimited, for both roles (RFC 9112 §6.3, whose rules are numbered
// here). Nothing else in this package does.
func (m message) framing(f *facts) (Framing, *Error) {
	response := m.status != 0
	// Rules 1 and 2: what the fields of such a response say is about another message, or nothing.
	if response && m.bodiless() {
		return Framing{}, nil
	}
	if f.coding != noCoding {
		// Rule 3 lets a server repair a message with both; RFC 9112 §6.1 asks it to close. Both roles refuse.
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

// bodiless reports whether a response can have no body, whatever its fields say.
func (m message) bodiless() bool {
	return m.method == "HEAD" || headOnly(m.status, m.method == "CONNECT")
}

// headOnly reports whether a response of this status ends with its head, or is followed by another protocol.
func headOnly(status int, connect bool) bool {
	return status < 200 || status == 204 || status == 304 || connect && status < 300
}

// AllowsBody reports whether a response of this status may be given a body by its sender (RFC 9110 §6.4.1); connect says
// that it answers CONNECT, where behind the head of a 2xx the tunnel begins (§9.3.6). A 205 asks for none (§15.3.6), but
// whoever receives one goes by its fields. A response to HEAD has the body that GET would get, which is not sent.
func AllowsBody(status int, connect bool) bool {
	return !headOnly(status, connect) && status != 205
}

// refused returns why a message with this list of transfer codings cannot be read, nil if it can.
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

// AboutCoding reports whether err refuses a message for its list of transfer codings: one that is malformed, does not end
// in chunked, or has a coding that is not known (RFC 9112 §6.1, §6.3).
func AboutCoding(err *Error) bool {
	switch err {
	case errCoding, errCodingTwice, errCodingSyn, errCodingLast:
		return true
	}
	return false
}
