// Package wiretest contains helpers for tests of protocols: connections in memory that split the stream anywhere,
// listeners that count, conversations that fail with a readable message, and a peer with access to single TLS records.
// Only tests import it.
package wiretest
