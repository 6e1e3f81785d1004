package sharedport

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
)

// The identifiers that processes on a shared port give to connections have the form of QUIC-LB (draft-ietf-quic-load-balancers) with a
// server ID and a nonce of 8 bytes each, encrypted as one block:
//
//	first byte           block of AES-128
//	000xxxxx   │   0 0 0 0 0 0, process (2 bytes), nonce (8 bytes)
//
// To everyone without the key it looks random. An identifier that does not decrypt to six zero bytes was not made by one of the
// processes: so no client can invent the identifier of a process to which it has no connection.
const (
	idLen      = 1 + idBlock
	idBlock    = 16
	idZeros    = 6
	idNonce    = 8
	idConfig   = 0b111 << 5 // the bits of QUIC-LB's configuration, all of them 0
	maxProcess = 1<<16 - 1
)

// appendID appends a new identifier of a process.
func appendID(dst []byte, key cipher.Block, process uint16) []byte {
	var first [1]byte
	var block [idBlock]byte
	rand.Read(first[:])
	binary.BigEndian.PutUint16(block[idZeros:], process)
	rand.Read(block[idBlock-idNonce:])
	key.Encrypt(block[:], block[:])
	return append(append(dst, first[0]&^idConfig), block[:]...)
}

// processOf returns the process that has made an identifier. It returns false if none has.
func processOf(key cipher.Block, id []byte) (process uint16, ok bool) {
	if len(id) != idLen || id[0]&idConfig != 0 {
		return 0, false
	}
	var block [idBlock]byte
	key.Decrypt(block[:], id[1:])
	if [idZeros]byte(block[:]) != [idZeros]byte{} {
		return 0, false
	}
	return binary.BigEndian.Uint16(block[idZeros:]), true
}

// Bits of the first byte of a packet (RFC 9000 §17.2, §17.3).
const (
	longHeader = 0x80
	fixedBit   = 0x40
)

// destination returns the part of a packet that may be an identifier of ours, or nil. It relies on no field of the header but the length
// of the identifier.
func destination(p []byte) []byte {
	const short = 1              // of bytes before the identifier (RFC 9000 §17.3.1)
	const lenAt, long = 1 + 4, 6 // version, length of the identifier (RFC 8999 §5.1)
	switch {
	case len(p) < short+idLen:
		return nil
	case p[0]&longHeader == 0 && p[0]&fixedBit != 0:
		return p[short : short+idLen]
	case p[0]&longHeader != 0 && len(p) >= long+idLen && p[lenAt] == idLen:
		return p[long : long+idLen]
	}
	return nil
}

// newConnection returns the connection identifier that a client has chosen, if the packet may begin a connection (RFC 9000 §7.2), or nil.
func newConnection(p []byte) []byte {
	const lenAt, start = 1 + 4, 6
	if len(p) < start || p[0]&longHeader == 0 || p[lenAt] < 8 || len(p)-start < int(p[lenAt]) {
		return nil
	}
	return p[start : start+int(p[lenAt])]
}
