package message

import (
	"bytes"
	"compress/flate"
	"io"
	"strings"
)

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
