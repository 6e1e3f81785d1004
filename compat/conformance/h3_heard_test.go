package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/quic-go/qpack"
	"github.com/quic-go/quic-go"

	"github.com/shockwave-go/shockwave/internal/wire/h3frame"
)

// h3Heard is what has come on a request stream.
type h3Heard struct {
	replies  []*reply
	trailer  bool   // a trailer section has come
	in       []byte // part of a frame
	ended    bool
	reset    string // an error code's name
	closed   bool   // the connection has ended, with end
	end      error
	received int
}

// read reads until done, or until the stream has ended in some way. The error is a rule that the server has broken, or that nothing comes.
func (k *h3Talk) read(s *h3Stream, done func() bool) error {
	h := &s.heard
	buf := make([]byte, 16<<10)
	for !h.ended && !done() {
		_ = s.SetReadDeadline(time.Now().Add(k.pace.response))
		n, err := s.Read(buf)
		h.received += n
		h.in = append(h.in, buf[:n]...)
		if wrong := h.take(); wrong != nil {
			return wrong
		}
		reset, isReset := errors.AsType[*quic.StreamError](err)
		switch {
		case err == nil:
		case err == io.EOF && len(h.in) > 0:
			return fmt.Errorf("the stream ends inside a frame: %x (RFC 9114 §7.1)", firstBytes(h.in, 100))
		case err == io.EOF:
			h.ended = true
		case isReset && reset.Remote:
			h.ended, h.reset = true, h3CodeName(uint64(reset.ErrorCode))
		case isTimeout(err):
			return fmt.Errorf("nothing more comes after responses %v", statuses(h.replies))
		default:
			h.ended, h.closed = true, true
			if e, ok := errors.AsType[*quic.ApplicationError](err); ok {
				err = fmt.Errorf("the connection was closed with %s %q", h3CodeName(uint64(e.ErrorCode)), e.ErrorMessage)
			}
			h.end = err
		}
	}
	return nil
}

// take handles the frames that have arrived whole.
func (h *h3Heard) take() error {
	for len(h.in) > 0 {
		in := &h3Reader{r: bytes.NewReader(h.in)}
		t, payload, err := in.frame()
		if errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		h.in = h.in[in.n:]
		if err := h.frame(t, payload); err != nil {
			return err
		}
	}
	return nil
}

// frame handles one frame.
func (h *h3Heard) frame(t uint64, payload []byte) error {
	final := len(h.replies) > 0 && h.replies[len(h.replies)-1].status >= 200
	switch t {
	case 0:
		if !final || h.trailer {
			return errors.New("DATA outside a response (RFC 9114 §4.1)")
		}
		r := h.replies[len(h.replies)-1]
		r.body = append(r.body, payload...)
		return nil
	case 1:
		if h.trailer {
			return errors.New("a section after the trailer section (RFC 9114 §4.1)")
		}
		r, err := readH3Section(payload, final)
		if h.trailer = final; err == nil && !final {
			h.replies = append(h.replies, r)
		}
		return err
	case 2, 3, 4, 5, 6, 7, 8, 9, 0xd:
		return fmt.Errorf("a frame of type %#x on a request stream (RFC 9114 §7.2)", t)
	}
	return nil
}

// readH3Section reads the section of a response, or of a trailer.
func readH3Section(section []byte, trailer bool) (*reply, error) {
	r := new(reply)
	for next := qpack.NewDecoder().Decode(section); ; {
		f, err := next()
		switch {
		case err == io.EOF && !trailer && r.status == 0:
			return nil, errors.New("a response without :status (RFC 9114 §4.3.2)")
		case err == io.EOF:
			return r, nil
		case err != nil:
			return nil, fmt.Errorf("a section that cannot be decoded: %w (RFC 9204)", err)
		case f.Name == ":status" && !trailer && r.status == 0 && len(r.fields) == 0:
			if r.status, err = strconv.Atoi(f.Value); err != nil || len(f.Value) != 3 || r.status < 100 || r.status == 101 {
				return nil, fmt.Errorf("status %q (RFC 9114 §4.3.2, §4.5)", f.Value)
			}
		case strings.HasPrefix(f.Name, ":"):
			return nil, fmt.Errorf("%s where it may not be (RFC 9114 §4.3)", f.Name)
		case f.Name != strings.ToLower(f.Name) || f.Name == "":
			return nil, fmt.Errorf("a field called %q (RFC 9114 §4.2)", f.Name)
		default:
			r.fields = append(r.fields, [2]string{f.Name, f.Value})
		}
	}
}

// wellFormedH3 returns an error if r breaks a rule for every response.
func (r *reply) wellFormedH3(head bool) error {
	return r.wellFramed(head, "RFC 9114 §4.2", "RFC 9114 §4.1.2")
}

// h3Reader reads numbers and frames.
type h3Reader struct {
	r io.Reader
	n int // bytes so far
}

// varint reads a number (RFC 9000 §16). The error is io.EOF if there is none.
func (in *h3Reader) varint() (uint64, error) {
	var b [8]byte
	if _, err := io.ReadFull(in.r, b[:1]); err != nil {
		return 0, err
	}
	size := 1 << (b[0] >> 6)
	if _, err := io.ReadFull(in.r, b[1:size]); err != nil {
		return 0, err
	}
	in.n += size
	n, _ := h3frame.Varint(b[:size])
	return n, nil
}

// frame reads a frame, of at most a mebibyte.
func (in *h3Reader) frame() (t uint64, payload []byte, err error) {
	if t, err = in.varint(); err != nil {
		return 0, nil, err
	}
	length, err := in.varint()
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err == nil && length > 1<<20 {
		err = fmt.Errorf("a frame of type %#x and %d bytes", t, length)
	}
	if err != nil {
		return t, nil, err
	}
	payload = make([]byte, length)
	_, err = io.ReadFull(in.r, payload)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	in.n += len(payload)
	return t, payload, err
}
