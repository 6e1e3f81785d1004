package websocket

import (
	"errors"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/websocket/internal/permessage"
)

const hello = "\xf2\x48\xcd\xc9\xc9\x07\x00" // RFC 7692 §7.2.3.1

// Compressed messages are read, whole and in fragments, beside messages that are not compressed.
func TestCompressedMessages(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{Compression: ContextTakeover})
		r.peer.Send(frame(0xC1, hello))
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0xC1, "\xf2\x00\x11\x00\x00")) // §7.2.3.2: what came before
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0x41, hello[:3]) + frame(0x00, "") + frame(0x89, "p") + frame(0x80, hello[3:]))
		r.peer.Want(bare(0x8A, "p") + bare(0x81, "Hello"))
		r.peer.Send(frame(0xC2, "\x00")) // §7.2.3.6
		r.peer.Want(bare(0x82, ""))
		r.peer.Send(text("plain")) // §6: RSV1 tells
		r.peer.Want(bare(0x81, "plain"))
	})
}

// A compressed message that is malformed, too long or not negotiated ends the connection with its close code.
func TestCompressedMessagesThatAreRefused(t *testing.T) {
	bomb, err := permessage.CompressAlone(make([]byte, 5000))
	if err != nil {
		t.Fatal(err)
	}
	latin, _ := permessage.CompressAlone([]byte("Espa\xf1a"))
	for _, c := range []struct {
		name string
		with Compression
		sent string
		code CloseCode
		err  error
	}{
		{"not negotiated", NoCompression, frame(0xC1, hello), CloseProtocolError, nil},
		{"corrupt", NoContextTakeover, frame(0xC1, hello[:5]), CloseInvalidPayload, errInflate},
		{"without takeover", NoContextTakeover, frame(0xC1, hello) + frame(0xC1, "\xf2\x00\x11\x00\x00"), CloseInvalidPayload, errInflate},
		{"a bomb", NoContextTakeover, frame(0xC2, string(bomb)), CloseMessageTooBig, ErrTooBig},
		{"a bomb with a context", ContextTakeover, frame(0xC2, string(bomb)), CloseMessageTooBig, ErrTooBig},
		{"not UTF-8", NoContextTakeover, frame(0xC1, string(latin)), CloseInvalidPayload, errText},
		{"compressed ping", NoContextTakeover, frame(0xC9, hello), CloseProtocolError, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			onEvery(t, func(t *testing.T, f face) {
				r := f.serve(t, Config{Compression: c.with, ReadLimit: 4999}, func(*Conn, MessageType, []byte) error { return nil })
				r.peer.Send(c.sent)
				r.wantClose(c.code)
				if err := r.wantEnd(); c.err != nil && !errors.Is(err, c.err) {
					t.Errorf("ended with %v, want %v", err, c.err)
				}
			})
		})
	}
}

// A message that does not get shorter is sent as it is, unless later messages build on it.
func TestMessagesThatDoNotCompress(t *testing.T) {
	plain := make([]byte, 600)
	for i := range plain {
		plain[i] = byte(i * i * 7919 >> 5)
	}
	r := faces[2].open(t, Config{Compression: NoContextTakeover})
	go r.c.WriteMessage(BinaryMessage, plain)
	r.peer.Want(bare(0x82, string(plain)))
	go r.c.Send(BinaryMessage, plain)
	r.peer.Want(bare(0x82, string(plain)))
	r = faces[2].open(t, Config{Compression: ContextTakeover})
	go r.c.WriteMessage(BinaryMessage, plain)
	if head := r.peer.WantN(1); head != "\xC2" {
		t.Errorf("with takeover the frame begins with %x", head)
	}
}

// A server of net/http and a client agree on compression and use it.
func TestCompressionIsAgreedOn(t *testing.T) {
	k := acceptServer(t, Config{Compression: ContextTakeover})()
	k.Send(opens("Sec-WebSocket-Extensions: foo", "Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=12") + frame(0xC1, hello))
	const want = "\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits=12\r\n"
	if head := k.WantUntil("\r\n\r\n"); !strings.Contains(head, want) {
		t.Errorf("the response has no %q:\n%s", want, head)
	}
	k.Want(bare(0x81, "Hello"))
	k = acceptServer(t, Config{})()
	k.Send(opens("Sec-WebSocket-Extensions: permessage-deflate;"))
	k.WantUntil("HTTP/1.1 400 ")
}
