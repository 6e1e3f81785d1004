package clitest

import (
	"encoding/binary"
	"io"
	"net/http"
	"strings"
)

// The first bytes of frames (RFC 6455 §5.2).
const (
	Continues = 0x00
	Text      = 0x01
	Binaries  = 0x02
	Closes    = 0x08
	Pings     = 0x09
	Pongs     = 0x0A
	Fin       = 0x80
	Squeezed  = 0x40 // RSV1
)

// Upgrade opens WebSocket with the example key of RFC 6455 §1.3 and further head lines.
func (k *Talk) Upgrade(path string, lines ...string) *http.Response {
	k.T.Helper()
	k.Say("GET " + path + " HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
		"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n" + strings.Join(append(lines, "\r\n"), "\r\n"))
	resp, err := http.ReadResponse(k.R, nil)
	if err != nil {
		k.T.Fatal(err)
	}
	return resp
}

// SayFrame sends a frame as a client does: masked.
func (k *Talk) SayFrame(first byte, payload string) {
	k.T.Helper()
	head := []byte{first}
	switch n := len(payload); {
	case n < 126:
		head = append(head, 0x80|byte(n))
	case n <= 0xFFFF:
		head = binary.BigEndian.AppendUint16(append(head, 0x80|126), uint16(n))
	default:
		head = binary.BigEndian.AppendUint64(append(head, 0x80|127), uint64(n))
	}
	key := [4]byte{0x37, 0xFA, 0x21, 0x3D}
	frame := append(head, key[:]...)
	for i := range len(payload) {
		frame = append(frame, payload[i]^key[i%4])
	}
	k.Say(string(frame))
}

// HearFrame reads a frame, which must not be masked.
func (k *Talk) HearFrame() (first byte, payload string) {
	k.T.Helper()
	read := func(n uint64) []byte {
		b := make([]byte, n)
		if _, err := io.ReadFull(k.R, b); err != nil {
			k.T.Fatalf("no frame: %v", err)
		}
		return b
	}
	head := read(2)
	n := uint64(head[1])
	switch n {
	case 126:
		n = uint64(binary.BigEndian.Uint16(read(2)))
	case 127:
		n = binary.BigEndian.Uint64(read(8))
	}
	if head[1]&0x80 != 0 || n > 1<<26 {
		k.T.Fatalf("a server sent the frame header %x", head)
	}
	return head[0], string(read(n))
}

// WantFrame wants this frame next.
func (k *Talk) WantFrame(why string, first byte, payload string) {
	k.T.Helper()
	if f, p := k.HearFrame(); f != first || p != payload {
		k.T.Fatalf("%s: got frame %x %.80q (%d bytes), want %x %.80q (%d bytes)", why, f, p, len(p), first, payload, len(payload))
	}
}
