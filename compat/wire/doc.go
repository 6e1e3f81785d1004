// Package wire tests our servers and package websocket over a bad network. However the network delivers the bytes, both ends
// must receive all of them in order. When the connection breaks, both ends must see an error and leak nothing.
//
// There are two such networks. One is a proxy on the loopback interface, which every machine has: it cuts a stream into
// pieces of a few bytes, holds pieces back until more bytes have arrived, closes one direction, and resets connections. The
// other is a link of MTU 1500 between two network namespaces. It loses, duplicates, delays and reorders packets, so that the
// system's TCP has to retransmit. It needs Linux and the right to create namespaces; without them it is skipped.
//
// The package has only tests. All random choices come from one seed, which SHOCKWAVE_WIRE_SEED changes. scripts/wire runs the
// tests; "scripts/wire slow 5m" runs the one that takes minutes.
package wire
