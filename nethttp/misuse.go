package nethttp

import (
	"fmt"
	"path"
	"runtime"
	"strings"
)

// panicText returns the line that is logged for the panic value v of a handler. It must be called while the stack of the
// panic still exists.
func panicText(remote string, v any) string {
	stack := make([]byte, 64<<10)
	stack = stack[:runtime.Stack(stack, false)]
	return fmt.Sprintf("http: panic serving %v: %v\n%s", remote, v, stack)
}

// caller returns the name and place of the function that called the response, for log lines about its misuse.
func caller() string {
	var pcs [16]uintptr
	frames := runtime.CallersFrames(pcs[:runtime.Callers(2, pcs[:])])
	for {
		f, more := frames.Next()
		if !strings.Contains(f.Function, "shockwave/nethttp.(*response)") || !more {
			return fmt.Sprintf("%s (%s:%d)", f.Function, path.Base(f.File), f.Line)
		}
	}
}
