// Package h3frame reads and writes the frames of HTTP/3 (RFC 9114), without I/O and without QUIC: bytes of a stream go in, cut
// anywhere, and what they mean comes out.
//
//	request stream ─► Message ─► head, content, trailer     control stream ─► Control ─► settings, GOAWAY, priorities
//	                                                        unidirectional stream ─► StreamType
//	Append… ─► the bytes to send                            session of WebTransport ─► Capsules ─► its end
package h3frame
