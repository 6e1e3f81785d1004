package account

// Errors counts errors by kind. All kinds except Connect, and Protocol for bytes that answer no request, count requests
// that were sent.
type Errors struct {
	Connect  int64 // no connection, TLS failed, or no WebSocket; before the start only if it lasts for Timeout
	Protocol int64 // the response breaks the rules of its protocol, or answers no request
	Status   int64 // 4xx or 5xx; with Same also another status than the first response's
	Length   int64 // the body was cut short, or (with Same) not as long as the first one; or the echo has another length
	Content  int64 // the echo has other bytes or another type than the message
	Closed   int64 // the connection ended with requests unanswered; one way: before the run ended it; at least one
	Reset    int64 // HTTP/2: the server reset the stream
	Timeout  int64
}

// Total returns the sum of all kinds.
func (e *Errors) Total() int64 {
	return e.Connect + e.Protocol + e.Status + e.Length + e.Content + e.Closed + e.Reset + e.Timeout
}

func (e *Errors) add(o *Errors) {
	e.Connect += o.Connect
	e.Protocol += o.Protocol
	e.Status += o.Status
	e.Length += o.Length
	e.Content += o.Content
	e.Closed += o.Closed
	e.Reset += o.Reset
	e.Timeout += o.Timeout
}
