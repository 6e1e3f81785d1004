package headermap

// Class says how a field of the request is sent.
type Class uint8

// How a field is sent.
const (
	Plain   Class = iota
	Skipped       // it is sent in another form, or is about HTTP/1 connections (RFC 9113 §8.2.2)
	Cookie
	UserAgent
	TE
)

// classOf returns how the field called name, in canonical form, is sent.
func classOf(name string) Class {
	switch name {
	case "Host", "Content-Length", "Connection", "Proxy-Connection", "Transfer-Encoding", "Upgrade", "Keep-Alive", "Trailer":
		return Skipped
	case "Http2-Settings":
		return Skipped
	case "Cookie":
		return Cookie
	case "User-Agent":
		return UserAgent
	case "Te":
		return TE
	}
	return Plain
}
