// Package wiretest has what tests of protocols need: connections in memory that cut the stream wherever it hurts,
// listeners that count, conversations that fail with a readable line, and a peer that speaks TLS by hand. Only tests
// import it.
package wiretest
