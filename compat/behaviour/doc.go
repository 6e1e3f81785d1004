// Package behaviour holds what can be observed of a server, one row for each behaviour, and watches it twice: on
// net/http's server and on package nethttp's. The rows cover what the server tests of the Go distribution look at;
// testdata/origins.txt tells for each of those tests where its behaviours are, or why it has none.
//
// A row says what net/http does (want). Ours must do the same to the letter, unless the row says why not (differs) and
// what it does instead (ours). A row that is marked as differing and does not differ fails as well.
//
// The rows speak HTTP/1, and are played once more over HTTP/2: what they say is put into its words, and what net/http's
// own HTTP/2 does is right. testdata/http2.txt names the rows that HTTP/2 does not have, and those in which ours differs.
//
// The counts and the reasons stand in docs/nethttp.md between two markers; `go generate ./behaviour` writes them.
package behaviour

//go:generate go test -count=1 -run ^TestPage$ . -write
