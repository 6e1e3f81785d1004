package server

// plan is what HTTP says about a response (RFC 9110 §6.4, §8.6): its length, and whether a body follows the head.
type plan struct {
	body   bodyKind
	length int64 // value of the Content-Length field, -1 if none is sent
}

// bodyKind is how the body of a response ends.
type bodyKind uint8

const (
	noBody    bodyKind = iota // there is no body
	ofLength                  // after plan.length bytes
	openEnded                 // marked as the version of HTTP provides: last chunk, END_STREAM or close
)

// planInput is everything that a plan depends on.
type planInput struct {
	status   int
	method   method        // of the request
	known    int64         // length of the whole body, -1 if unknown
	options  headerOptions // from the handler's fields
	isHTTP10 bool          // an openEnded body closes the connection
}

// method tells the methods apart that change the framing of a response.
type method uint8

const (
	anyMethod method = iota
	isHead
	isConnect
	isTunnel  // CONNECT on an HTTP/2 stream: the bytes of the tunnel are the body (RFC 9113 §8.5)
	isUpgrade // CONNECT for a WebSocket on an HTTP/2 stream, which the handler sees as an upgrade of HTTP/1.1
)

// methodOf returns the method for its name m.
func methodOf(m []byte) method {
	switch string(m) {
	case "HEAD":
		return isHead
	case "CONNECT":
		return isConnect
	}
	return anyMethod
}

// tunnels reports whether the bytes after the head belong to another protocol (RFC 9110 §9.3.6, §15.2.2).
func (in *planInput) tunnels() bool {
	return in.status == 101 || in.method == isConnect && in.status < 300
}

// opensStream reports whether the bytes after the head are those of a tunnel on an HTTP/2 stream.
func (in *planInput) opensStream() bool {
	return in.method == isTunnel && in.status < 300 || in.method == isUpgrade && in.status == 101
}

// decide returns the plan. No other function contains these rules.
func (in *planInput) decide() plan {
	p := plan{body: noBody, length: -1}
	switch {
	case in.opensStream():
		p.body = openEnded
		return p
	case in.tunnels():
		return p
	case in.status == 304:
		// RFC 9110 §8.6: the length of the response that 304 stands for, if the handler knows it.
		p.length = in.options.length
		return p
	case in.status == 204:
		// RFC 9110 §8.6: no Content-Length.
		return p
	case in.status == 205:
		// RFC 9110 §15.3.6: no content. The length must be sent, because clients expect a body after this status.
		p.length = 0
		return p
	case in.options.length >= 0:
		p.body, p.length = ofLength, in.options.length
	case in.options.flags.has(wantsCloseDelimited):
		p.body = openEnded
	case in.known >= 0 && (in.isHTTP10 || !in.options.flags.has(wantsChunks)):
		p.body, p.length = ofLength, in.known
	default:
		p.body = openEnded
	}
	if in.method == isHead {
		// RFC 9110 §9.3.2: the fields that GET would get, and no body.
		p.body = noBody
	}
	return p
}
