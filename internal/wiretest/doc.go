// Package wiretest has what tests of protocols need: connections in memory that cut the stream wherever it hurts,
// listeners that count, and conversations that fail with a readable line. Only tests import it.
package wiretest
