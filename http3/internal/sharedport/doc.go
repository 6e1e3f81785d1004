// Package sharedport lets several processes have one port of UDP together, each with a socket of its own. It knows the identifiers of
// QUIC's connections, in which the processes write their numbers, and nothing else of QUIC:
//
//	socket ─► conn: whose packet? ─► QUIC
//	              └─► peers ─► another process's inbox ─► its conn ─► its QUIC
package sharedport
