// Package client sends HTTP/1.1 and HTTP/2 requests over connections that it keeps, and HTTP/3 with the help of package
// http3. It does not allocate per request, streams bodies both ways, and bounds every wait.
//
// Each []byte that a [Response] returns is part of the Response's buffers and only valid until Close. After that the
// Response is reused, so copy what you keep. [Config] has limits by default: a zero field means its default, a negative
// one no limit.
//
//	Client ─► exchange: redirects, retries ─┬─► outgoing: head, body ──┐
//	                                        │                          ▼
//	          Response, Body ◄──────────────┴──────────────────────── pool of connections ◄─ opener
//
// A Request describes and a Response reads; the exchange between them does everything else. What the exchanges of a
// Client have in common is in shared.
package client
