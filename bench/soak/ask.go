package main

import (
	"fmt"
	"strconv"
	"strings"
)

// ask is what a request wants of the server. It is the request's target: /WHAT/NUMBER/SIZE.
type ask struct {
	what   string
	number uint64 // no two requests have the same
	size   int64
}

// What a request can want. All answers carry the request's number in X-Number.
const (
	askBytes  = "bytes"  // size bytes of the number's pattern, with their length
	askStream = "stream" // the same in pieces, each flushed
	askTake   = "take"   // here is a body of size bytes of the pattern: is it right?
	askSleep  = "sleep"  // an answer after size milliseconds, or none if the client goes before
	askPanic  = "panic"  // a handler that fails
	askHijack = "hijack" // the connection, which then echoes lines
	askEvents = "events" // an event stream without end
)

func (a ask) target() string { return fmt.Sprintf("/%s/%d/%d", a.what, a.number, a.size) }

// parseAsk is the reverse of target.
func parseAsk(path string) (a ask, ok bool) {
	what, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	number, size, _ := strings.Cut(rest, "/")
	a.what = what
	var err1, err2 error
	a.number, err1 = strconv.ParseUint(number, 10, 64)
	a.size, err2 = strconv.ParseInt(size, 10, 64)
	return a, err1 == nil && err2 == nil && a.size >= 0
}
