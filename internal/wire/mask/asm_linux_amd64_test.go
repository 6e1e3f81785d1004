//go:build !noasm

package mask

import (
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
	"unsafe"

	"golang.org/x/sys/cpu"
)

// The assembly is used: a fault in the middle of XOR and XORASCII happens inside xorAVX2.
func TestAssemblyRuns(t *testing.T) {
	if !cpu.X86.HasAVX2 {
		t.Skip("no AVX2 here")
	}
	page := guarded(t)
	forbidden := unsafe.Slice(&page[len(page)-1], 1+vector) // Only its first octet may be read.
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	for _, f := range functions[:2] {
		if where := faultIn(func() { f.xor(make([]byte, len(forbidden)), forbidden, 1) }); !strings.HasSuffix(where, "mask.xorAVX2") {
			t.Errorf("%s read in %q, not in the assembly", f.name, where)
		}
	}
}

// faultIn returns the name of the function in which f faults, "" if it does not.
func faultIn(f func()) (where string) {
	defer func() {
		if recover() == nil {
			return
		}
		callers := make([]uintptr, 16)
		frames := runtime.CallersFrames(callers[:runtime.Callers(0, callers)])
		for frame, more := frames.Next(); ; frame, more = frames.Next() {
			if frame.Function == "runtime.sigpanic" {
				frame, _ = frames.Next()
				where = frame.Function
				return
			}
			if !more {
				return
			}
		}
	}()
	f()
	return ""
}
