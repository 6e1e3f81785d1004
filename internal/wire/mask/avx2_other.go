//go:build !amd64 || noasm

package mask

const (
	vector  = 32
	hasAVX2 = false
)

// xorAVX2 is never called in this build.
func xorAVX2(_, _ *byte, _ int, _ uint32) bool { panic("mask: no assembly here") }
