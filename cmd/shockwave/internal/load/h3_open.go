package load

import (
	"context"
	"math"
	"time"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

// h3Window is the window of a stream and of a connection, which never delays a server.
const h3Window = 1 << 30

// openH3 opens a connection of HTTP/3 for s, with a socket of its own.
func (o *opener) openH3(ctx context.Context, s *slot) {
	cfg := o.run.cfg
	dialling, cancel := context.WithTimeout(ctx, cfg.Timeout)
	defer cancel()
	start := time.Now()
	c, err := quic.DialAddr(dialling, cfg.address(), cfg.TLS, &quic.Config{
		HandshakeIdleTimeout: cfg.Timeout, MaxIdleTimeout: math.MaxInt64, MaxIncomingStreams: -1, MaxIncomingUniStreams: 10,
		InitialStreamReceiveWindow: h3Window, MaxStreamReceiveWindow: h3Window,
		InitialConnectionReceiveWindow: h3Window, MaxConnectionReceiveWindow: h3Window,
	})
	switch {
	case err != nil && ctx.Err() != nil: // the run is over: not an error
	case err != nil:
		o.failed(s, err)
	default:
		o.parts.note(handshake, time.Since(start))
		if s.attachH3(c) != nil {
			c.CloseWithError(quic.ApplicationErrorCode(h3frame.NoError), "")
			return
		}
		o.settle(s, true)
	}
}

// newH3Request builds the bytes of the requests of HTTP/3, one for each URL. Header sections do not depend on one another, since
// there is no dynamic table (RFC 9204 §2.1), so each is encoded once.
func newH3Request(cfg *Config) (*request, error) {
	r, err := newH2Request(cfg)
	if err != nil {
		return nil, err
	}
	var enc qpack.Encoder
	for i, fields := range r.fields {
		section := enc.AppendPrefix(nil)
		for _, f := range fields {
			section = enc.AppendField(section, f.Name, f.Value)
		}
		whole := append(h3frame.AppendHeader(nil, h3frame.Headers, uint64(len(section))), section...)
		if body := r.bodies[i]; len(body) > 0 {
			whole = append(h3frame.AppendHeader(whole, h3frame.Data, uint64(len(body))), body...)
		}
		r.streams = append(r.streams, whole)
	}
	return r, nil
}
