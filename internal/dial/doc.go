// Package dial opens connections for clients: straight or through a proxy, bare or over TLS. It knows no protocol but
// the two in which proxies are asked for a tunnel: CONNECT (RFC 9110 §9.3.6) and SOCKS5 (RFC 1928).
//
// All waits end with their context, and then nothing is left open. Functions may be called concurrently.
package dial
