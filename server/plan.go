package server

import "github.com/shockwave-go/shockwave/http1"

// plan is how an answer is framed on the wire (RFC 9112 §6) and what becomes of the connection.
type plan struct {
	body   http1.Delimiter // of what is sent behind the head
	length int64           // the Content-Length field, -1: none
	close  bool            // the connection ends after the answer
	tunnel bool            // it changes its protocol: 101, or 2xx to CONNECT
}

// question is all that a plan depends on.
type question struct {
	status int
	minor  int    // version of the request
	method method // of the request
	known  int64  // length of the whole body, -1 if it is not known
	asked  asked  // what the handler's fields say
	close  bool   // the connection ends whatever they say
}

// method is a method that changes how an answer is framed.
type method uint8

const (
	anyMethod method = iota
	isHead
	isConnect
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

// decide makes the plan. These rules stand here and nowhere else.
func (q *question) decide() plan {
	p := plan{body: http1.NoBody, length: -1, close: q.close || q.asked.wishes.has(wantsClose)}
	if q.method == isConnect {
		// RFC 9110 §9.3.6: without 2xx there is no tunnel. The client may have sent bytes for it already, and those
		// must not be read as requests.
		p.close = true
	}
	switch {
	case q.status == 101 || q.method == isConnect && q.status < 300:
		// RFC 9110 §9.3.6, §15.2.2: the bytes behind this head are the new protocol's.
		p.tunnel, p.close = true, true
		return p
	case q.status == 304:
		// RFC 9110 §8.6: the length of the answer that it stands for, if the handler knows it.
		p.length = q.asked.length
		return p
	case q.status == 204:
		// RFC 9110 §8.6: no Content-Length.
		return p
	case q.status == 205:
		// RFC 9110 §15.3.6: no content, which the client must be told, as it is no status without a body to it.
		p.length = 0
		return p
	case q.asked.length >= 0:
		p.body, p.length = http1.ByLength, q.asked.length
	case q.asked.wishes.has(wantsEnd):
		p.body, p.close = http1.ByClose, true
	case q.known >= 0 && (q.minor == 0 || !q.asked.wishes.has(wantsChunks)):
		p.body, p.length = http1.ByLength, q.known
	case q.minor > 0:
		p.body = http1.ByChunks
	case q.method != isHead:
		// RFC 9112 §6.1: no chunks to HTTP/1.0; §6.3: so only the end of the connection is left to end the body.
		p.body, p.close = http1.ByClose, true
	}
	if q.method == isHead {
		// RFC 9110 §9.3.2: the fields that GET would get, and no body.
		p.body = http1.NoBody
	}
	return p
}
