package bodyplan

import "github.com/shockwave-go/shockwave/http1"

// Framing is how HTTP/1.1 delimits the body of a response (RFC 9112 §6), and whether the connection ends after it.
type Framing struct {
	Body   http1.Delimiter // of the bytes sent after the head
	Close  bool            // the connection is closed after the response
	Tunnel bool            // the connection changes its protocol: 101, or 2xx to CONNECT
}

// Frame returns the framing of plan p, which was decided from in. keep reports that the connection may be used again.
func (in *Input) Frame(p Plan, keep bool) Framing {
	f := Framing{Body: http1.NoBody, Close: !keep || in.Options.Flags.Has(WantsClose)}
	if in.Method == Connect {
		// RFC 9110 §9.3.6: without 2xx there is no tunnel. The client may already have sent bytes for it, which must
		// not be read as requests.
		f.Close = true
	}
	switch {
	case in.tunnels():
		// RFC 9110 §9.3.6, §15.2.2: the bytes after this head belong to the new protocol.
		f.Tunnel, f.Close = true, true
	case p.Body == OfLength:
		f.Body = http1.ByLength
	case p.Body == OpenEnded && (in.IsHTTP10 || in.Options.Flags.Has(WantsCloseDelimited)):
		// RFC 9112 §6.1: HTTP/1.0 must not be sent chunks; §6.3: then only the end of the connection can end the body.
		f.Body, f.Close = http1.ByClose, true
	case p.Body == OpenEnded:
		f.Body = http1.ByChunks
	}
	return f
}
