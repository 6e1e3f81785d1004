package clitest

import (
	"context"
	"crypto/tls"
	"net"
	"strings"

	"golang.org/x/net/http2"
)

//lint:file-ignore SA1019 net/http's transport sends no extended CONNECT

// Extended is a client that can ask for an extended CONNECT, with or without TLS.
func (r *Running) Extended() *http2.Transport {
	c := &http2.Transport{AllowHTTP: true}
	c.DialTLSContext = func(ctx context.Context, network, addr string, cfg *tls.Config) (net.Conn, error) {
		if strings.HasPrefix(r.URL, "http:") {
			return new(net.Dialer).DialContext(ctx, network, addr)
		}
		return tls.Dial(network, addr, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{"h2"}})
	}
	r.T.Cleanup(c.CloseIdleConnections)
	return c
}
