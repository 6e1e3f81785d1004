package h3

import (
	"errors"
	"io"
	"strconv"

	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/hpack"
	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
	"github.com/shockwave-go/shockwave/internal/wire/qpack"
)

const (
	bufferSize   = 16 << 10 // of a worker; responses that fit are read with one call
	sectionLimit = 1 << 20  // most bytes of a field section
	writeApart   = 64 << 10 // longer requests are written by another goroutine: a server may answer before it has read all
)

// exchange is a worker's request and its response.
type exchange struct {
	conn *conn
	sent drive.Group
	turn int

	in      []byte // received and not yet read
	eof     bool
	frames  h3frame.Message
	decoder qpack.Decoder
	fields  []hpack.Field
	begun   int64 // when the response began to arrive
	pieces  int   // in which it arrived
	status  int
	length  int64 // bytes of the response's body
}

// write writes the request. If a goroutine still writes it, done is closed when that is over. A write that fails shows in the
// response.
func (x *exchange) write(st *quic.Stream) (done chan struct{}) {
	whole := x.conn.requests.encoded[x.turn]
	write := func() {
		if _, err := st.Write(whole); err == nil {
			st.Close()
		}
	}
	if len(whole) <= writeApart {
		write()
		return nil
	}
	done = make(chan struct{})
	go func() {
		defer close(done)
		write()
	}()
	return done
}

// read reads the response to its end.
func (x *exchange) read(st *quic.Stream) error {
	for need := 1; ; {
		if err := x.more(st, need); err != nil {
			return err
		}
		for need = 0; need == 0; {
			if len(x.in) == 0 && x.eof {
				return wrongOrNil(x.frames.End())
			}
			p, n, err := x.frames.Next(x.in)
			if err != nil {
				return err
			}
			if err := x.take(&p); err != nil {
				return err
			}
			x.in = x.in[n:]
			need = p.Need
		}
		if x.eof && len(x.in) < need {
			return x.frames.Cut()
		}
	}
}

// wrongOrNil returns err as an error.
func wrongOrNil(err *h3frame.Error) error {
	if err == nil {
		return nil
	}
	return err
}

// take handles a part of the response.
func (x *exchange) take(p *h3frame.Part) error {
	switch p.Kind {
	case h3frame.Content:
		x.length += int64(len(p.Bytes))
	case h3frame.Section:
		fields, err := x.decoder.Decode(p.Bytes, x.fields[:0])
		if x.fields = fields; err != nil || p.Trailer {
			return err
		}
		return x.head()
	case h3frame.TooLarge, h3frame.Session:
		return errHead
	}
	return nil
}

// errHead is the error of a head that is none (RFC 9114 §4.3.2).
var errHead = errors.New("http3: a response head without a status, or with a wrong length (H3_MESSAGE_ERROR, RFC 9114 §4.3.2)")

// head reads the fields of a head.
func (x *exchange) head() error {
	if len(x.fields) == 0 || x.fields[0].Name != ":status" || len(x.fields[0].Value) != 3 {
		return errHead
	}
	status, err := strconv.Atoi(x.fields[0].Value)
	switch {
	case err != nil || status < 100 || status == 101:
		return errHead
	case status < 200:
		x.frames.Interim()
		return nil
	}
	x.status = status
	if x.conn.requests.method == "HEAD" || status == 304 {
		return nil
	}
	for _, f := range x.fields[1:] {
		if f.Name == "content-length" {
			n, err := strconv.ParseInt(f.Value, 10, 64)
			if err != nil || n < 0 {
				return errHead
			}
			x.frames.Expect(n)
		}
	}
	return nil
}

// more receives until there are need bytes, or the stream has ended.
func (x *exchange) more(st *quic.Stream, need int) error {
	if cap(x.in) < max(need, 512) {
		x.in = append(make([]byte, 0, max(need, bufferSize)), x.in...)
	}
	for have := len(x.in); !x.eof && (len(x.in) < need || len(x.in) == have); {
		n, err := st.Read(x.in[len(x.in):cap(x.in)])
		x.in = x.in[:len(x.in)+n]
		if n > 0 {
			x.arrived()
		}
		if x.eof = err == io.EOF; err != nil && !x.eof {
			return err
		}
	}
	return nil
}

// arrived notes that something has come.
func (x *exchange) arrived() {
	now := x.conn.slot.Now()
	x.pieces++
	x.conn.lastInput.Store(now)
	if x.begun == 0 {
		x.begun = now
	}
}
