package http2

// ReadRequest checks the fields of a request of another version of HTTP whose heads are such lists, too (RFC 9114 §4.3.1), and
// fills h. connectProtocol says whether extended CONNECT is offered. It returns the value of the priority field. h borrows fields.
func (h *Head) ReadRequest(fields []Field, connectProtocol bool) (priority string, err *Error) {
	var f facts
	err = h.readRequest(fields, connectProtocol, &f)
	return f.priority, err
}

// ReadResponse is ReadRequest for the head of a response, final or informational (RFC 9114 §4.3.2). What its ContentLength means
// for a method or a status is left to the caller.
func (h *Head) ReadResponse(fields []Field) *Error { return h.readResponse(fields) }

// ReadTrailers is ReadRequest for a trailer section. Fields that are not allowed in trailers are removed.
func (h *Head) ReadTrailers(fields []Field) *Error { return h.readTrailers(fields) }
