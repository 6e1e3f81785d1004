// Package sharedport lets several processes share one UDP port, each with a socket of its own. It knows the identifiers of
// QUIC's connections, which contain the numbers of the processes, and nothing else of QUIC:
//
//	socket ─► conn: whose packet? ─► QUIC
//	              └─► peers ─► another process's inbox ─► its conn ─► its QUIC
package sharedport
