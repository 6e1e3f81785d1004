// Package dial opens connections for clients: directly or through a proxy, with or without TLS. The only protocols it
// implements are those that ask a proxy for a tunnel: CONNECT (RFC 9110 §9.3.6) and SOCKS5 (RFC 1928).
//
// All waits end when their context is done; then nothing is left open. All functions may be called concurrently.
package dial
