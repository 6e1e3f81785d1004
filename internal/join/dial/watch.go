package dial

import (
	"context"
	"crypto/tls"
	"net"
)

// Watch closes nc, as Cut does, as soon as ctx is done, so that no wait on nc lasts longer than ctx. The caller must call
// stop once when the operation is over: stop returns err, or ctx's error if nc has been closed meanwhile.
func Watch(ctx context.Context, nc net.Conn) (stop func(err error) error) {
	release := context.AfterFunc(ctx, func() { Cut(nc) })
	return func(err error) error {
		if release() {
			return err
		}
		return ctx.Err()
	}
}

// Cut closes nc without a closing alert of TLS, which would wait for a peer that does not read.
func Cut(nc net.Conn) {
	for tc, ok := nc.(*tls.Conn); ok; tc, ok = nc.(*tls.Conn) {
		nc = tc.NetConn()
	}
	nc.Close()
}
