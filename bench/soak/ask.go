package main

import (
	"fmt"
	"strconv"
	"strings"
)

// ask describes a request. It is encoded in the request target: /WHAT/NUMBER/SIZE.
type ask struct {
	what   string
	number uint64 // unique among all requests
	size   int64
}

// Kinds of requests. All responses carry the request's number in X-Number.
const (
	askBytes  = "bytes"  // the response is size bytes of the number's pattern, with a Content-Length
	askStream = "stream" // the same response in pieces, each flushed
	askTake   = "take"   // the request has a body of size bytes of the pattern, which the server compares
	askSleep  = "sleep"  // the handler sleeps size milliseconds, or until the client has closed the connection
	askPanic  = "panic"  // the handler panics
	askHijack = "hijack" // the handler hijacks the connection and echoes lines
	askEvents = "events" // the response is an endless event stream
)

func (a ask) target() string { return fmt.Sprintf("/%s/%d/%d", a.what, a.number, a.size) }

// parseAsk is the inverse of target.
func parseAsk(path string) (a ask, ok bool) {
	what, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	number, size, _ := strings.Cut(rest, "/")
	a.what = what
	var err1, err2 error
	a.number, err1 = strconv.ParseUint(number, 10, 64)
	a.size, err2 = strconv.ParseInt(size, 10, 64)
	return a, err1 == nil && err2 == nil && a.size >= 0
}
