package sockclients

import (
	"bufio"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// player sends pieces of bytes to the first who connects, then FIN, and hears the replies.
type player struct {
	url     string
	patient bool   // FIN waits for the response: a browser does not reply behind it
	foreign string // goes behind the proof that the response to the handshake gives
	replies chan []byte
}

func newPlayer(t *testing.T, scheme string, pieces [][]byte, patient bool) *player {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p := &player{patient: patient, url: scheme + "://" + l.Addr().String(), replies: make(chan []byte, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		p.serve(l, scheme == "ws", pieces)
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return p
}

// serve closes the connection when the client has ended its half.
func (p *player) serve(l net.Listener, framed bool, pieces [][]byte) {
	c, err := l.Accept()
	if err != nil {
		return
	}
	defer c.Close()
	in := bufio.NewReader(c)
	if framed {
		r, err := http.ReadRequest(in)
		if err != nil {
			return
		}
		sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
		io.WriteString(c, "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Accept: "+base64.StdEncoding.EncodeToString(sum[:])+p.end())
	}
	for _, b := range pieces {
		if _, err := c.Write(b); err != nil {
			break // the client need not read what stands behind what it refuses
		}
	}
	if p.patient {
		in.Peek(1)
	}
	c.(*net.TCPConn).CloseWrite()
	reply, _ := io.ReadAll(in)
	p.replies <- reply
}

// end is the end of the response to the handshake: a field that is foreign to it stands on its own line.
func (p *player) end() string {
	if strings.HasSuffix(p.foreign, "\r\n") {
		return "\r\n" + p.foreign + "\r\n"
	}
	return p.foreign + "\r\n\r\n"
}

// reply returns what the client has sent: the payloads of its pongs, and the code of its close frame, 0 if it has sent none
// or one without a code.
func (p *player) reply(t *testing.T) (pongs []string, code int) {
	t.Helper()
	for b := both.Receive(t, p.replies, "the end of the client's half"); len(b) >= 6; {
		n := int(b[1] & 0x7f) // clients of vectors send control frames only
		if b[1] < 0x80 || len(b) < 6+n {
			t.Errorf("the client sends % x", b)
			return nil, -1
		}
		for i := range n {
			b[6+i] ^= b[2+i%4]
		}
		switch {
		case b[0] == 0x8a:
			pongs = append(pongs, string(b[6:6+n]))
		case b[0] == 0x88 && n >= 2:
			return pongs, int(binary.BigEndian.Uint16(b[6:]))
		}
		b = b[6+n:]
	}
	return pongs, 0
}

// pings are the payloads of the pings, which are to be answered (RFC 6455 §5.5.3).
func (f *frames) pings() (pings []string) {
	for _, frame := range f.Frames {
		if frame.Opcode == 9 {
			pings = append(pings, string(frame.Payload))
		}
	}
	return pings
}

// bytes returns what travels: frames as a server sends them.
func (f *frames) bytes() (b []byte) {
	for _, frame := range f.Frames {
		first := frame.Opcode
		if frame.Fin {
			first |= 0x80
		}
		switch n := len(frame.Payload); {
		case n < 126:
			b = append(b, first, byte(n))
		case n < 1<<16:
			b = binary.BigEndian.AppendUint16(append(b, first, 126), uint16(n))
		default:
			b = binary.BigEndian.AppendUint64(append(b, first, 127), uint64(n))
		}
		b = append(b, frame.Payload...)
	}
	return b
}
