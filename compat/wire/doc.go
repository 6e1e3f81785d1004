// Package wire holds tests of our servers and of package websocket over a network that behaves badly: whatever it does to
// the pieces, bytes come whole and in order, and when it breaks both ends see an error and nothing is left behind.
//
// There are two such networks. One is a proxy on the loopback interface, which every machine has: it cuts a stream into
// pieces of a few bytes, holds pieces back until more has come, closes one direction, and resets. The other is a pair of
// network namespaces with a line of MTU 1500 between them that loses, repeats, delays and overtakes packets, so that the
// system's own TCP has work to do; it needs Linux and the right to make namespaces, and is skipped without.
//
// It has no code besides its tests. All dice are thrown with one seed, which SHOCKWAVE_WIRE_SEED changes. scripts/wire
// runs the tests; "scripts/wire slow 5m" runs the one that takes minutes.
package wire
