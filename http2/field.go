package http2

import "github.com/shockwave-go/shockwave/hpack"

// Field is a field line. Of fields to send the name must be lower-case; Sensitive ones are never put into a compression
// table on the way (RFC 7541 §7.1.3). The strings of fields that were received may be kept.
type Field = hpack.Field
