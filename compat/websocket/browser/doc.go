// Package browser shows that a page in Chromium, which opens its WebSockets on streams of the page's HTTP/2 connection (RFC
// 8441), can talk to handlers that know nothing of that: the libraries gorilla/websocket, coder/websocket, gws, gobwas/ws and
// golang.org/x/net/websocket, routes for GET, and ReverseProxy. On net/http's server, which does not offer such streams, the
// same page uses HTTP/1.1.
package browser
