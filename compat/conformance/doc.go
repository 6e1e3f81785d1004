// Package conformance plays texts against the echo of the program shockwave, over HTTP/1.1, HTTP/2 and HTTP/3: what a client
// sends, and what a server may do then, with the sentence of the RFC that says so. The cases are in testdata, whose README.md
// explains them. Each case is also played on another server, net/http's or quic-go's, as an oracle: a case of which that has
// another opinion must say why.
//
// The package has only tests. scripts/conformance plays every case in all its variants.
package conformance
