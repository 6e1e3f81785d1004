package http2

import "github.com/shockwave-go/shockwave/hpack"

// Field is a field line. The name of a field that is sent must be lower-case. Sensitive fields are never put into a
// compression table, also not by intermediaries (RFC 7541 §7.1.3). The strings of received fields may be kept.
type Field = hpack.Field
