// Package flood attacks HTTP/2 servers with frames that cost the sender little: resets, pings, header blocks without an end,
// windows that do not open. Ours must close the connection within 1,000 frames, or within the documented time. Meanwhile they
// must serve other connections, and the process must not grow. The attacks run in cleartext and over TLS. Connections of honest
// clients that behave similarly must not be closed.
//
// Attacks that the servers tolerate for a minute, and attacks on net/http's server, only run if SHOCKWAVE_FLOOD_LONG is set.
package flood
