// Package shockwave holds the vocabulary that every protocol of the module shares: lists of field lines and the
// words for who broke a protocol.
//
// The packages to import are the faces: nethttp (net/http's types), server (HTTP with native handlers). The drawing
// of the whole is docs/architecture.md.
package shockwave
