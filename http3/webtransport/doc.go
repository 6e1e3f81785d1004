// Package webtransport is WebTransport over HTTP/3 (draft-ietf-webtrans-http3), for servers: sessions with streams both ways and
// datagrams, as browsers open them by `new WebTransport(url)`. A handler of a server of package http3, whose Config has
// WebTransportSessions set, accepts one:
//
//	CONNECT ─► handler ─► Accept ─► Session ─► Stream, SendStream, ReceiveStream, datagrams
//
// The drafts that are spoken are 02 to 15, without the flow control of sessions that the last ones allow.
package webtransport
