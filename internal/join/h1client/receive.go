package h1client

import (
	"errors"
	"time"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
	"github.com/shockwave-go/shockwave/internal/join/httpread"
)

// Receiver is the half of a Conn for the goroutine that reads the response. Small fields are grouped to keep a Conn small:
// there may be 10,000 idle ones.
type Receiver struct {
	turn *turn
	cfg  *Config

	heard      bool // a byte of a response has arrived
	connLost   bool // the connection has ended during the exchange
	untilClose bool // the end of the connection ends the body
	bodyRead   bool // Read has been called
	method     string
	interim    interim
	body       httpread.Body
	length     int64         // of the body according to the head; -1 if only the body's end tells
	idle       time.Duration // set by SetReadIdle
}

// interim counts interim responses and their bytes. Together they may have as many bytes as one head.
type interim struct{ heads, bytes int }

// begin prepares for the response to a request with the given method.
func (r *Receiver) begin(method string) {
	r.method = method
	r.heard, r.connLost, r.interim, r.idle = false, false, interim{}, 0
	r.body.Reset(-1)
}

// readErr returns the error to report when reading has failed with err. It notes whether the connection has ended.
func (r *Receiver) readErr(err error) error {
	if why := r.turn.cancelErr(); why != nil {
		return why
	}
	r.connLost = r.connLost || !errors.Is(err, netconn.ErrSlow)
	return err
}

// NoResponse reports whether the connection has ended and no byte of a response has arrived since Begin. Then the server
// may have closed it before the request arrived (RFC 9112 §9.3.1). The reading goroutine may call it after a failure.
func (r *Receiver) NoResponse() bool { return r.connLost && !r.heard }
