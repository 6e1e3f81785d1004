package server

// plan is what HTTP says of an answer (RFC 9110 §6.4, §8.6): its length, and whether a body comes behind the head.
type plan struct {
	body   bodyKind
	length int64 // the Content-Length field, -1: none
}

// bodyKind is how an answer's body ends.
type bodyKind uint8

const (
	noBody    bodyKind = iota // there is none
	ofLength                  // after plan.length bytes
	openEnded                 // when the version of HTTP says so
)

// question is all that a plan depends on.
type planInput struct {
	status   int
	method   method        // of the request
	known    int64         // length of the whole body, -1 if it is not known
	options  headerOptions // what the handler's fields say
	isHTTP10 bool          // HTTP/1.0: an open body costs the connection
}

// method is a method that changes how an answer is framed.
type method uint8

const (
	anyMethod method = iota
	isHead
	isConnect
	isTunnel // CONNECT on a stream of HTTP/2: the tunnel is the body (RFC 9113 §8.5)
)

// methodOf tells what m means for the answer.
func methodOf(m []byte) method {
	switch string(m) {
	case "HEAD":
		return isHead
	case "CONNECT":
		return isConnect
	}
	return anyMethod
}

// tunnels reports whether the bytes behind the head are another protocol's (RFC 9110 §9.3.6, §15.2.2).
func (in *planInput) tunnels() bool {
	return in.status == 101 || in.method == isConnect && in.status < 300
}

// decide makes the plan. These rules stand here and nowhere else.
func (in *planInput) decide() plan {
	p := plan{body: noBody, length: -1}
	switch {
	case in.tunnels():
		return p
	case in.method == isTunnel && in.status < 300:
		p.body = openEnded
		return p
	case in.status == 304:
		// RFC 9110 §8.6: the length of the answer that it stands for, if the handler knows it.
		p.length = in.options.length
		return p
	case in.status == 204:
		// RFC 9110 §8.6: no Content-Length.
		return p
	case in.status == 205:
		// RFC 9110 §15.3.6: no content, which the client must be told, as it is no status without a body to it.
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
