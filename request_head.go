package shockwave

// RequestHead is what the head of a request says, whichever version of HTTP has brought it (RFC 9110 §6.2). Its slices
// are whose the doc of what filled it says.
type RequestHead struct {
	Method    []byte // token, case kept
	Target    []byte // HTTP/1: the request-target as received; HTTP/2: what it would be in HTTP/1 (RFC 9112 §3.2)
	Scheme    []byte // HTTP/1: absolute-form only; HTTP/2: always, but for CONNECT
	Authority []byte // HTTP/1: absolute-form and authority-form; HTTP/2: :authority
	Path      []byte // origin-form and absolute-form; "*" for asterisk-form; empty in absolute-form means "/"
	Query     []byte // after the first "?", without it
	HasQuery  bool   // there was a "?"
	Host      []byte // effective host (RFC 9110 §7.1): the authority if the target has one, else the Host field
	Header    Header // HTTP/1: its Bytes are the head from the first byte of the request line on
}
