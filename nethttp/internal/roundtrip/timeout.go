package roundtrip

import "context"

// The texts of these errors are http.Transport's. They implement net.Error.
var (
	errTLSTimeout    error = timeoutError("net/http: TLS handshake timeout")
	errHeaderTimeout error = timeoutError("net/http: timeout awaiting response headers")
)

// timeoutError is a net.Error whose Timeout method returns true.
type timeoutError string

func (e timeoutError) Error() string   { return string(e) }
func (e timeoutError) Timeout() bool   { return true }
func (e timeoutError) Temporary() bool { return true }
func (e timeoutError) Is(err error) bool {
	return err == context.DeadlineExceeded
}
