package h1client

import "github.com/shockwave-go/shockwave/http1"

// Config is the configuration of connections.
type Config struct {
	Limits http1.Limits // of response heads, trailers and framing

	// AllowTruncated accepts a body that ends with the connection although TLS has ended without a closing alert. Many
	// servers omit the alert, but an attacker on the path can cut a body in the same way. RFC 9112 §9.8 requires the alert.
	AllowTruncated bool
}
