// Package client sends HTTP/1.1 and HTTP/2 requests over connections that it keeps. It does not allocate per request,
// streams bodies both ways, and bounds every wait.
//
// Each []byte that a [Response] returns is part of the Response's buffers and only valid until Close. After that the
// Response is reused, so copy what you keep. [Config] has limits by default: a zero field means its default, a negative
// one no limit.
//
//	Request ─► requestHead ──────────┐
//	Client ──► proxies, redirects ───┤
//	           retries, cookies      ▼
//	Response ◄─ decoder ◄─ pool ─► connections
package client
