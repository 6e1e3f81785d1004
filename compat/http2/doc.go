// Package http2 tests HTTP/2 clients of other projects against net/http's server and ours, in cleartext and over TLS. Each
// row is a conversation. It records what the client and the handler see, which must be the same on all servers unless the row
// says why not. On our native server the handlers run as native handlers (asNative).
package http2
