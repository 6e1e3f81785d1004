// Package http2 has other people's clients of HTTP/2 talk to net/http's server and to ours, in cleartext and over TLS. A
// conversation is a row: what the client and the handler saw is written down, and must be the same on all servers,
// unless the row says why not. On our native server the handlers run as native ones (asNative).
package http2
