// Package huffman reads and writes the Huffman code of HPACK (RFC 7541 §5.2, Appendix B), which QPACK shares.
//
// Append writes, Decode reads a whole string, and a Checker reads one that comes in pieces and is not wanted. The tables
// are computed from the lengths of the codes when the program starts. All functions may be called concurrently; a
// Checker belongs to one goroutine at a time.
package huffman
