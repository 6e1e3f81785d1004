package load

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
)

// window is the size of the compression window (RFC 1951 §2).
const window = 32 << 10

// tail ends a flushed block and is not sent (RFC 7692 §7.2.1); last is an empty final block.
const (
	tail = "\x00\x00\xff\xff"
	last = "\x01\x00\x00\xff\xff"
)

// compress compresses messages: each one individually, or with takeover also with those before it.
func compress(payloads [][]byte, takeover bool) (all [][]byte) {
	var b bytes.Buffer
	w, _ := flate.NewWriter(&b, flate.DefaultCompression) // fails for unknown levels only
	for _, p := range payloads {
		b.Reset()
		if !takeover {
			w.Reset(&b)
		}
		w.Write(p)
		w.Flush()
		all = append(all, bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte(tail))))
	}
	return all
}

// inflater decompresses messages.
type inflater struct {
	reader io.Reader // nil before first use
	out    bytes.Buffer
}

// inflate decompresses a message, given the window before it. It returns at most most bytes, valid until the next call.
func (i *inflater) inflate(squeezed, before []byte, most int) ([]byte, error) {
	in := io.MultiReader(bytes.NewReader(squeezed), strings.NewReader(tail+last))
	if i.reader == nil {
		i.reader = flate.NewReader(nil)
	}
	if err := i.reader.(flate.Resetter).Reset(in, before); err != nil {
		return nil, err
	}
	i.out.Reset()
	_, err := i.out.ReadFrom(io.LimitReader(i.reader, int64(most)))
	return i.out.Bytes(), err
}
