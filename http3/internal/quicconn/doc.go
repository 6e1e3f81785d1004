// Package quicconn contains all calls of quic-go, whose API changes from time to time: listening, dialling, connections and their
// streams, as the rest of package http3 sees them. It knows no frame of HTTP/3.
package quicconn
