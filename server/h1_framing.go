package server

import "github.com/shockwave-go/shockwave/http1"

// framing is how HTTP/1.1 puts a plan on the wire (RFC 9112 §6), and what becomes of the connection.
type framing struct {
	body   http1.Delimiter // of what is sent behind the head
	close  bool            // the connection ends after the answer
	tunnel bool            // it changes its protocol: 101, or 2xx to CONNECT
}

// frame puts p, the plan for q, on the wire of a connection that may be used again if keep says so.
func (in *planInput) frame(p plan, keep bool) framing {
	f := framing{body: http1.NoBody, close: !keep || in.options.flags.has(wantsClose)}
	if in.method == isConnect {
		// RFC 9110 §9.3.6: without 2xx there is no tunnel. The client may have sent bytes for it already, and those
		// must not be read as requests.
		f.close = true
	}
	switch {
	case in.tunnels():
		// RFC 9110 §9.3.6, §15.2.2: the bytes behind this head are the new protocol's.
		f.tunnel, f.close = true, true
	case p.body == ofLength:
		f.body = http1.ByLength
	case p.body == openEnded && (in.isHTTP10 || in.options.flags.has(wantsCloseDelimited)):
		// RFC 9112 §6.1: no chunks to HTTP/1.0; §6.3: so only the end of the connection is left to end the body.
		f.body, f.close = http1.ByClose, true
	case p.body == openEnded:
		f.body = http1.ByChunks
	}
	return f
}
