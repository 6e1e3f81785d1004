package server

import "github.com/shockwave-go/shockwave/http1"

// framing is how HTTP/1.1 delimits the body of a response (RFC 9112 §6), and whether the connection ends after it.
type framing struct {
	body   http1.Delimiter // of the bytes sent after the head
	close  bool            // the connection is closed after the response
	tunnel bool            // the connection changes its protocol: 101, or 2xx to CONNECT
}

// frame returns the framing of plan p, which was decided from in. keep reports that the connection may be used again.
func (in *planInput) frame(p plan, keep bool) framing {
	f := framing{body: http1.NoBody, close: !keep || in.options.flags.has(wantsClose)}
	if in.method == isConnect {
		// RFC 9110 §9.3.6: without 2xx there is no tunnel. The client may already have sent bytes for it, which must
		// not be read as requests.
		f.close = true
	}
	switch {
	case in.tunnels():
		// RFC 9110 §9.3.6, §15.2.2: the bytes after this head belong to the new protocol.
		f.tunnel, f.close = true, true
	case p.body == ofLength:
		f.body = http1.ByLength
	case p.body == openEnded && (in.isHTTP10 || in.options.flags.has(wantsCloseDelimited)):
		// RFC 9112 §6.1: HTTP/1.0 must not be sent chunks; §6.3: then only the end of the connection can end the body.
		f.body, f.close = http1.ByClose, true
	case p.body == openEnded:
		f.body = http1.ByChunks
	}
	return f
}
