package flood

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"golang.org/x/net/http2"
	"golang.org/x/net/http2/hpack"

	"github.com/shockwave-go/shockwave/compat/internal/both"
)

// limit is within how many frames a flood must be cut.
const limit = 1000

// attacker is the hostile end of a connection. What it writes is gathered, and leaves with flush.
type attacker struct {
	*http2.Framer // writes to out

	c     net.Conn
	out   bytes.Buffer
	sent  int           // frames that have left
	next  uint32        // the next stream's number
	block hpack.Encoder // into fields
	buf   bytes.Buffer

	given   int // streams that it has given up
	reading bool
	ended   int             // streams that the server has ended; the reader's until fate is told
	enough  int             // of them is as good as an end of the connection; 0: it is not
	awaited map[uint32]bool // streams whose ends are waited for besides the answer to a ping; the reader's until fate is told
	fate    chan fate
}

// fate is how the connection has ended, or that the last ping was answered and so it has not ended.
type fate struct {
	pong bool
	done bool          // all streams have ended
	code http2.ErrCode // of the GOAWAY
	bye  bool          // there was one
	text string        // its debug data
	err  error
}

// marker is the ping behind a flood.
var marker = [8]byte{'a', 'r', 'e', ' ', 'y', 'o', 'u', '?'}

// attack connects to s, as over a network, with the preface and these settings.
func attack(t testing.TB, s *server, settings ...http2.Setting) *attacker {
	t.Helper()
	c := s.dial(t)
	c.SetDeadline(time.Now().Add(stalled + both.Patience))
	a := &attacker{c: c, next: 1, fate: make(chan fate, 1)}
	a.Framer = http2.NewFramer(&a.out, nil)
	a.AllowIllegalWrites = true
	a.block = *hpack.NewEncoder(&a.buf)
	a.out.WriteString(http2.ClientPreface)
	a.WriteSettings(settings...)
	a.WriteSettingsAck()
	return a
}

// headers writes a request on a new stream, with these fields besides, and returns the stream's number.
func (a *attacker) headers(method, path string, end, whole bool, fields ...string) uint32 {
	id := a.next
	a.next += 2
	a.buf.Reset()
	all := append([]string{":method", method, ":scheme", "http", ":authority", "flood", ":path", path}, fields...)
	for i := 0; i < len(all); i += 2 {
		a.block.WriteField(hpack.HeaderField{Name: all[i], Value: all[i+1]})
	}
	a.WriteHeaders(http2.HeadersFrameParam{StreamID: id, BlockFragment: a.buf.Bytes(), EndStream: end, EndHeaders: whole})
	return id
}

// get is a whole request.
func (a *attacker) get(path string) uint32 { return a.headers("GET", path, true, true) }

// flush sends what is gathered, which is so many frames. It returns false when the server takes no more.
func (a *attacker) flush(frames int) bool {
	_, err := a.c.Write(a.out.Bytes())
	a.out.Reset()
	a.sent += frames
	return err == nil
}

// read has what the server says read from now on.
func (a *attacker) read() {
	if a.reading {
		return
	}
	a.reading = true
	go func() { a.fate <- a.listen() }()
}

func (a *attacker) listen() (f fate) {
	in := http2.NewFramer(nil, a.c)
	for {
		var got http2.Frame
		if got, f.err = in.ReadFrame(); f.err != nil {
			return f
		}
		if end, ok := got.(interface{ StreamEnded() bool }); ok && end.StreamEnded() || got.Header().Type == http2.FrameRSTStream {
			delete(a.awaited, got.Header().StreamID)
			if a.ended++; a.ended == a.enough {
				f.done = true
				return f
			}
		}
		switch got := got.(type) {
		case *http2.GoAwayFrame:
			f.bye, f.code, f.text = true, got.ErrCode, string(got.DebugData())
		case *http2.PingFrame:
			f.pong = f.pong || got.IsAck() && got.Data == marker
		}
		if f.pong && len(a.awaited) == 0 {
			return f
		}
	}
}

// ask sends the marker and waits for what comes first: its response, or the connection's end.
func (a *attacker) ask(t testing.TB) fate {
	t.Helper()
	a.WritePing(false, marker)
	a.flush(0)
	a.read()
	return both.Receive(t, a.fate, "an end of the connection, or an answer to a ping")
}

// cut says what is wrong with a fate that should be an end, or nil.
func (f *fate) cut() error {
	var late net.Error
	switch {
	case f.pong:
		return errors.New("the server still responds")
	case errors.As(f.err, &late) && late.Timeout():
		return errors.New("the connection is still open")
	case f.bye && f.code == http2.ErrCodeNo:
		return fmt.Errorf("the server says that nothing was wrong: %v", f)
	}
	return nil
}

// catchUp waits until no more than most streams are open, as clients do that go by MAX_CONCURRENT_STREAMS: a ping is
// answered before what came before it.
func (a *attacker) catchUp(t testing.TB, most int) {
	t.Helper()
	opened := int(a.next / 2)
	if a.enough = opened - a.given - most; a.ended < a.enough {
		a.read()
		if f := both.Receive(t, a.fate, "answers"); !f.done {
			t.Fatalf("no more responses: %v", &f)
		}
		a.reading = false
	}
	a.enough = 0
}

func (f *fate) String() string {
	if f.pong {
		return "it goes on"
	}
	if f.done {
		return "all streams have ended"
	}
	if f.bye {
		return fmt.Sprintf("GOAWAY %v %q", f.code, f.text)
	}
	if errors.Is(f.err, io.EOF) {
		return "closed without a word"
	}
	return f.err.Error()
}
