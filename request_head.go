package shockwave

// RequestHead is the head of a request of any HTTP version (RFC 9110 §6.2). The documentation of the function that
// fills it says how long its slices are valid.
type RequestHead struct {
	Method    []byte // token; case is kept
	Target    []byte // HTTP/1: the request-target as received; HTTP/2: the one that HTTP/1 would have (RFC 9112 §3.2)
	Scheme    []byte // HTTP/1: absolute-form only; HTTP/2: always, except for CONNECT
	Authority []byte // HTTP/1: absolute-form and authority-form; HTTP/2: :authority
	Path      []byte // origin-form and absolute-form; "*" for asterisk-form; empty in absolute-form means "/"
	Query     []byte // after the first "?", without it
	HasQuery  bool   // the target has a "?"
	Host      []byte // effective host (RFC 9110 §7.1): the authority if the target has one, otherwise the Host field
	Header    Header // HTTP/1: its Bytes are the head, beginning with the request line
}
