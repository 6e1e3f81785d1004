package wsmessage

import (
	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
	"github.com/shockwave-go/shockwave/internal/wire/wsframe"
)

// The kinds of a frame that is an uncompressed message by itself.
const (
	wholeText   = wsframe.FIN | wsframe.Kind(wsframe.Text)
	wholeBinary = wsframe.FIN | wsframe.Kind(wsframe.Binary)
)

// isWholeMessage reports whether the current frame is an uncompressed message by itself and has arrived completely.
// there is how many bytes have arrived after its header.
func (a *Assembler) isWholeMessage(there int) bool {
	return (a.kind == wholeText || a.kind == wholeBinary) && a.left <= int64(there)
}

// unmaskWhole unmasks a message of one frame: into dst if it fits, otherwise in place.
func (a *Assembler) unmaskWhole(p, dst []byte) ([]byte, error) {
	a.framed = false
	to := p
	if len(p) <= len(dst) {
		to = dst[:len(p)]
	}
	if a.kind != wholeText {
		if a.key != 0 {
			mask.XOR(to, p, a.key)
		} else if len(p) <= len(dst) {
			copy(to, p)
		}
		return to, nil
	}
	if _, ascii := mask.XORASCII(to, p, a.key); !ascii && !utf8x.Valid(to) {
		return nil, ErrText
	}
	return to, nil
}
