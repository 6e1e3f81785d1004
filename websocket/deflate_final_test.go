package websocket

import (
	"context"
	"errors"
	"io"
	"strconv"
	"testing"
)

// Messages of senders that finish a DEFLATE stream for each message and add nothing to it: deflateRaw of zlib, say.
const (
	finalHello = "\xf3\x48\xcd\xc9\xc9\x07\x00"         // a final block; RFC 7692 §7.2.3.4 wants another octet
	finalParts = "\xf3\x48\x05\x00\xcb\xc9\xc9\x07\x00" // two of them
	finalAgain = "\xf3\x00\x11\x00\x00"                 // a final block that refers to the message before
)

// A compressed message that ends with a final block is accepted.
func TestMessagesThatEndWithAFinalBlock(t *testing.T) {
	onEvery(t, func(t *testing.T, f face) {
		r := f.echo(t, Config{Compression: ContextTakeover})
		r.peer.Send(frame(0xC1, finalHello) + frame(0xC1, finalAgain)) // what came before is still known
		r.peer.Want(bare(0x81, "Hello") + bare(0x81, "Hello"))
		r.peer.Send(frame(0xC1, finalParts))
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0x41, finalParts[:4]) + frame(0x89, "p") + frame(0x00, finalParts[4:6]) + frame(0x80, finalParts[6:]))
		r.peer.Want(bare(0x8A, "p") + bare(0x81, "Hello"))
		r.peer.Send(frame(0x41, finalHello) + frame(0x80, "")) // only then is it the last block
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0x41, finalHello) + frame(0x80, "\x00"))
		r.peer.Want(bare(0x81, "Hello"))
		r.peer.Send(frame(0xC1, hello) + text("plain"))
		r.peer.Want(bare(0x81, "Hello") + bare(0x81, "plain"))
		r.peer.Send(frame(0xC1, finalHello[:6]))
		r.wantClose(CloseInvalidPayload)
		if err := r.wantEnd(); !errors.Is(err, errInflate) {
			t.Error(err)
		}
	})
}

// Every way to read accepts a message with a final block, and the message behind it.
func TestReadingAFinalBlock(t *testing.T) {
	ways := map[string]func(c *Conn) (string, error){
		"ReadMessage": func(c *Conn) (string, error) {
			_, p, err := c.ReadMessage()
			return string(p), err
		},
		"ReadPooled": func(c *Conn) (string, error) {
			_, p, err := c.ReadPooled(DefaultBufferPool)
			return string(p), err
		},
		"ReadContext": func(c *Conn) (string, error) {
			ctx, cancel := context.WithTimeout(context.Background(), patience)
			defer cancel()
			_, p, err := c.ReadMessageContext(ctx)
			return string(p), err
		},
		"ReadMessageInto": func(c *Conn) (string, error) {
			buf := make([]byte, 5)
			_, n, err := c.ReadMessageInto(buf)
			return string(buf[:n]), err
		},
		"ReadMessageInto, a short buffer first": func(c *Conn) (string, error) {
			if _, n, err := c.ReadMessageInto(make([]byte, 4)); n != 5 || !errors.Is(err, io.ErrShortBuffer) {
				return "", err
			}
			buf := make([]byte, 100)
			_, n, err := c.ReadMessageInto(buf)
			return string(buf[:n]), err
		},
		"NextReader": func(c *Conn) (string, error) {
			_, r, err := c.NextReader()
			if err != nil {
				return "", err
			}
			p, err := io.ReadAll(r)
			return string(p), err
		},
		"Messages": func(c *Conn) (string, error) {
			for m, err := range c.Messages() {
				return string(m.Data), err
			}
			return "", io.EOF
		},
		"NetConn": func(c *Conn) (string, error) {
			buf := make([]byte, 5)
			_, err := io.ReadFull(Stream(context.Background(), c, TextMessage), buf)
			return string(buf), err
		},
	}
	for name, read := range ways {
		for _, compression := range []Compression{NoContextTakeover, ContextTakeover} {
			t.Run(name+" "+strconv.Itoa(int(compression)), func(t *testing.T) {
				r := faces[2].open(t, Config{Compression: compression})
				go r.peer.Send(frame(0xC1, finalHello) + frame(0x41, finalHello[:2]) + frame(0x80, finalHello[2:]) + frame(0xC1, hello))
				for range 3 {
					if p, err := read(r.c); p != "Hello" || err != nil {
						t.Fatalf(`got %q, %v; want "Hello"`, p, err)
					}
				}
			})
		}
	}
}
