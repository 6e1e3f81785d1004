// Package huffman implements the Huffman code of HPACK (RFC 7541 §5.2, Appendix B), which QPACK uses as well.
//
// Append encodes. Decode decodes a whole string, and a Checker validates a string that arrives in pieces. The tables are
// computed from the lengths of the codes when the program starts. All functions may be called concurrently; a Checker is
// not safe for concurrent use.
package huffman
