package wsmemory

import (
	"encoding/binary"
	"errors"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/shockwave-go/shockwave/internal/wire/mask"
	"github.com/shockwave-go/shockwave/internal/wire/utf8x"
)

// inTurn measures batches of calls of ours and other alternately for d and returns the figures of one call.
func inTurn(d time.Duration, ours, other func()) map[string]float64 {
	const batch = 20_000
	var a, b clock
	timed := func(total *clock, do func()) {
		var c clock
		c.start()
		for range batch {
			do()
		}
		c.stop(batch)
		total.add(&c)
	}
	for end := time.Now().Add(d); a.n == 0 || time.Now().Before(end); {
		timed(&a, ours)
		timed(&b, other)
	}
	v := a.figures()
	v[Other] = b.figures()[Nanoseconds]
	v[Speed] = v[Other] / v[Nanoseconds]
	return v
}

// maskWords masks with the usual Go loop over words of eight bytes.
func maskWords(p []byte, key uint32) {
	wide := uint64(key)<<32 | uint64(key)
	for len(p) >= 8 {
		binary.LittleEndian.PutUint64(p, binary.LittleEndian.Uint64(p)^wide)
		p = p[8:]
	}
	for i := range p {
		p[i] ^= byte(wide >> (8 * i))
	}
}

func measureMask(d time.Duration) (map[string]float64, error) {
	const key = 0x3d21fa37
	p := []byte(strings.Clone(string(text)))
	mask.XOR(p, p, key)
	for i, octet := range p {
		if octet != text[i]^byte(uint32(key)>>(8*(i%4))) {
			return nil, errors.New("wrong masking")
		}
	}
	maskWords(p, key)
	if string(p) != string(text) {
		return nil, errors.New("the plain loop masks differently")
	}
	return inTurn(d, func() { mask.XOR(p, p, key) }, func() { maskWords(p, key) }), nil
}

func measureUTF8(d time.Duration) (map[string]float64, error) {
	chinese := []byte(strings.Repeat("漢字とかな交じりの文", 40)[:1023] + "!")
	broken := []byte(strings.Repeat("漢字とかな交じりの文", 40)[:1022] + "!!")
	if !utf8x.Valid(chinese) || !utf8.Valid(chinese) || utf8x.Valid(broken) || utf8.Valid(broken) {
		return nil, errors.New("a validator is wrong about UTF-8")
	}
	valid := true
	v := inTurn(d, func() { valid = utf8x.Valid(chinese) && valid }, func() { valid = utf8.Valid(chinese) && valid })
	if !valid {
		return nil, errors.New("a validator rejected valid UTF-8")
	}
	return v, nil
}
