package message

import (
	"math/rand/v2"
	"strconv"
	"strings"
)

// words are the parts of payloads. The text compresses about as well as typical records do.
var words = strings.Fields("symbol price volume time bid ask open high low close trade order")

// newPayload returns size bytes of ASCII text, a different one for each variant.
func newPayload(size, variant int) []byte {
	dice := rand.New(rand.NewPCG(1, uint64(variant)))
	p := make([]byte, 0, size+32)
	for len(p) < size {
		p = append(append(p, words[dice.IntN(len(words))]...), ':')
		p = append(strconv.AppendInt(p, dice.Int64N(100_000), 10), ' ')
	}
	p = p[:size]
	if size > 0 {
		p[0] = byte('a' + variant%26)
	}
	return p
}
