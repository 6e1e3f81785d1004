// Package behaviour tests the observable behaviour of a server, one row for each behaviour, on net/http's server and on
// package nethttp's. The rows cover the server tests of the Go distribution; testdata/origins.txt lists for each of those
// tests where its behaviours are, or why it has none.
//
// A row says what net/http does (want). Ours must do exactly the same, unless the row says why it does not (differs) and
// what it does instead (ours). A row also fails if it is marked as differing and does not differ.
//
// The rows are written in HTTP/1, and are played a second time over HTTP/2: they are translated to HTTP/2, and the behaviour
// of net/http's own HTTP/2 is the correct one. testdata/http2.txt lists the rows that do not exist in HTTP/2, and those in
// which ours differs.
//
// They are played a third time over HTTP/3, where what ours does over HTTP/2 is the correct behaviour. testdata/http3.txt lists
// what differs.
//
// The counts and the reasons are in docs/nethttp-differences.md between two markers; `go generate ./behaviour` writes them.
package behaviour

//go:generate go test -count=1 -run ^TestPage$ . -write
