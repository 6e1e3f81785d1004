package hostile

import (
	"bufio"
	"encoding/binary"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// attack is what a hostile client does with its connection. It returns when the server has cut it off, or when its own
// end has been closed.
type attack struct {
	name string
	run  func(c net.Conn)
	// cut says that the server ends this by itself.
	cut bool
}

var attacks = []attack{
	{"fragments of one byte without end", repeating(frame(opText, 1, "x"), frame(opContinuation, 1, "x")), true},
	{"empty fragments without end", repeating(frame(opText, 0, ""), frame(opContinuation, 0, "")), true},
	{"empty fragments and pings without end", repeating(frame(opText, 0, ""), append(frame(opContinuation, 0, ""), final(frame(opPing, 0, ""))...)), true},
	{"a frame of 2^63-1 bytes", silentAfter(frame(opBinary, 1<<63-1, "x")), true},
	{"a frame of 2^63 bytes", silentAfter(frame(opBinary, 1<<63, "x")), true},
	{"a long frame that does not come", silentAfter(final(frame(opBinary, 1<<20, "x"))), false},
	{"half a frame header", silentAfter(frame(opBinary, 1<<20, "")[:5]), false},
	{"pings without end, pongs not read", repeating(nil, final(frame(opPing, 125, strings.Repeat("p", 125)))), false},
	{"pongs without end", repeating(nil, final(frame(opPong, 0, ""))), false},
	{"messages without end, echoes not read", repeating(nil, final(frame(opBinary, 4<<10, strings.Repeat("m", 4<<10)))), false},
	{"a long message, its echo not read", repeating(nil, final(frame(opBinary, 512<<10, strings.Repeat("m", 512<<10)))), false},
	{"half a handshake", nil, false}, // see besiege
}

const (
	opContinuation = 0
	opText         = 1
	opBinary       = 2
	opPing         = 9
	opPong         = 10
)

// frame returns a masked frame that announces size bytes and has the payload given; the mask of zeroes leaves it as it
// is. It is not the last of its message.
func frame(opcode byte, size uint64, payload string) []byte {
	b := []byte{opcode}
	switch {
	case size < 126:
		b = append(b, 0x80|byte(size))
	case size < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 0x80|126), uint16(size))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 0x80|127), size)
	}
	return append(append(b, 0, 0, 0, 0), payload...)
}

// final makes a frame the last of its message.
func final(b []byte) []byte {
	b[0] |= 0x80
	return b
}

// repeating sends first, and then again as often as it can, and never reads.
func repeating(first, again []byte) func(net.Conn) {
	for small := again; len(again) < 4<<10; {
		again = append(again, small...) // a system call for each fragment would be a slow attack
	}
	return func(c net.Conn) {
		_, err := c.Write(first)
		for err == nil {
			_, err = c.Write(again)
		}
	}
}

// silentAfter sends b and waits for what the server does.
func silentAfter(b []byte) func(net.Conn) {
	return func(c net.Conn) {
		_, err := c.Write(b)
		for room := make([]byte, 512); err == nil; {
			_, err = c.Read(room)
		}
	}
}

const handshake = "GET / HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// besiege connects to addr and attacks; it returns the connection, and a channel that is closed when the attack is over.
// A connection is left open until its owner closes it.
func (a attack) besiege(t *testing.T, addr string) (c net.Conn, over chan struct{}) {
	t.Helper()
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	c.(*net.TCPConn).SetReadBuffer(8 << 10)
	c.SetDeadline(time.Now().Add(2 * both.Patience)) // later than anybody waits for the server to cut it off
	run := a.run
	if run == nil {
		run = silentAfter([]byte(handshake[:len(handshake)-9]))
	} else if err := open(c); err != nil {
		t.Fatalf("%s: %v", a.name, err)
	}
	over = make(chan struct{})
	go func() {
		defer close(over)
		run(c)
	}()
	return c, over
}

// open shakes hands.
func open(c net.Conn) error {
	if _, err := c.Write([]byte(handshake)); err != nil {
		return err
	}
	res, err := http.ReadResponse(bufio.NewReaderSize(c, 512), nil)
	if err == nil && res.StatusCode != http.StatusSwitchingProtocols {
		err = &net.ParseError{Type: "response", Text: res.Status}
	}
	return err
}
