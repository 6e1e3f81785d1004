// Package client sends HTTP/1.1 and HTTP/2 requests over connections that it keeps: no allocation per request, bodies
// streamed both ways, every wait bounded.
//
// What a [Response] gives out as []byte stands in its buffers and is valid until Close, behind which the Response is used
// for other requests: copy what you keep. [Config] has limits on by default: a zero field means its default, a negative
// one none.
//
//	Request ─► requestHead ──────────┐
//	Client ──► proxies, redirects ───┤
//	           retries, cookies      ▼
//	Response ◄─ decoder ◄─ internal/httpclient ─► connections
package client
