// Package bodyplan decides how a response is delimited: whether it has a body, how long it is, and whether another
// request may follow. It only computes.
package bodyplan

// Plan is what HTTP says about a response (RFC 9110 §6.4, §8.6): its length, and whether a body follows the head.
type Plan struct {
	Body   BodyKind
	Length int64 // value of the Content-Length field, -1 if none is sent
}

// BodyKind is how the body of a response ends.
type BodyKind uint8

const (
	NoBody    BodyKind = iota // there is no body
	OfLength                  // after Plan.Length bytes
	OpenEnded                 // marked as the version of HTTP provides: last chunk, END_STREAM or close
)

// Input is everything that a Plan depends on.
type Input struct {
	Status   int
	Method   Method  // of the request
	Known    int64   // length of the whole body, -1 if unknown
	Options  Options // from the handler's fields
	IsHTTP10 bool    // an OpenEnded body closes the connection
}

// Method distinguishes the methods that change the framing of a response.
type Method uint8

// The methods.
const (
	AnyMethod Method = iota
	Head
	Connect
	Tunnel  // CONNECT on an HTTP/2 stream: the bytes of the tunnel are the body (RFC 9113 §8.5)
	Upgrade // CONNECT for a WebSocket on an HTTP/2 stream, which the handler sees as an upgrade of HTTP/1.1
)

// MethodOf returns the Method for its name m.
func MethodOf(m []byte) Method {
	switch string(m) {
	case "HEAD":
		return Head
	case "CONNECT":
		return Connect
	}
	return AnyMethod
}

// tunnels reports whether the bytes after the head belong to another protocol (RFC 9110 §9.3.6, §15.2.2).
func (in *Input) tunnels() bool {
	return in.Status == 101 || in.Method == Connect && in.Status < 300
}

// opensStream reports whether the bytes after the head are those of a tunnel on an HTTP/2 stream.
func (in *Input) opensStream() bool {
	return in.Method == Tunnel && in.Status < 300 || in.Method == Upgrade && in.Status == 101
}

// Decide returns the plan. No other function contains these rules.
func (in *Input) Decide() Plan {
	p := Plan{Body: NoBody, Length: -1}
	switch {
	case in.opensStream():
		p.Body = OpenEnded
		return p
	case in.tunnels():
		return p
	case in.Status == 304:
		// RFC 9110 §8.6: the length of the response that 304 stands for, if the handler knows it.
		p.Length = in.Options.Length
		return p
	case in.Status == 204:
		// RFC 9110 §8.6: no Content-Length.
		return p
	case in.Status == 205:
		// RFC 9110 §15.3.6: no content. The length must be sent, because clients expect a body after this status.
		p.Length = 0
		return p
	case in.Options.Length >= 0:
		p.Body, p.Length = OfLength, in.Options.Length
	case in.Options.Flags.Has(WantsCloseDelimited):
		p.Body = OpenEnded
	case in.Known >= 0 && (in.IsHTTP10 || !in.Options.Flags.Has(WantsChunks)):
		p.Body, p.Length = OfLength, in.Known
	default:
		p.Body = OpenEnded
	}
	if in.Method == Head {
		// RFC 9110 §9.3.2: the fields that GET would get, and no body.
		p.Body = NoBody
	}
	return p
}
