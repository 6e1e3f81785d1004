package http2

// Field is a field line, as hpack has it. Of fields to send the name must be lower-case; Sensitive ones are never put
// into a compression table on the way (RFC 7541 §7.1.3).
type Field struct {
	Name, Value string
	Sensitive   bool
}
