// Package http3 is HTTP/3 (RFC 9114). It serves the handlers of a server.Server or nethttp.Server over HTTP/3 as well: the same handlers
// with the same limits, deadlines and meaning as over HTTP/1.1 and HTTP/2. Transport is a client: by itself an http.RoundTripper, and the
// part that lets nethttp.Transport and package client speak HTTP/3. Package http3/webtransport has sessions of WebTransport. It is a
// module of its own, so that programs that do not use it do not depend on quic-go, whose QUIC it uses.
//
//	UDP ─► quic-go ─► Server's connections ─► requests ─► the host's handlers
//
//	nethttp.Transport, client.Client ─► Transport's pool ─► connections ─► quic-go ─► UDP
package http3
