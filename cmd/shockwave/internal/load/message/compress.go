package message

import (
	"bytes"
	"compress/flate"
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
