package dial

import (
	"context"
	"crypto/tls"
	"net"
)

// Watch has nc cut as soon as ctx ends, so that no wait on nc outlasts it. The caller must call stop, once, when it has
// done what ctx bounds: stop returns err, or ctx's error if nc has been cut meanwhile.
func Watch(ctx context.Context, nc net.Conn) (stop func(err error) error) {
	release := context.AfterFunc(ctx, func() { Cut(nc) })
	return func(err error) error {
		if release() {
			return err
		}
		return ctx.Err()
	}
}

// Cut closes nc without a word: that of TLS would wait for a peer that does not read.
func Cut(nc net.Conn) {
	for tc, ok := nc.(*tls.Conn); ok; tc, ok = nc.(*tls.Conn) {
		nc = tc.NetConn()
	}
	nc.Close()
}
