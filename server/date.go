package server

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http1"
)

// dateFormat is the format of an HTTP-date in GMT (RFC 9110 §5.6.7).
const dateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// preamble holds the start of every response that is sent within one second.
type preamble struct {
	second int64
	ok     []byte // "HTTP/1.1 200 OK", Date and Server: the usual case is one copy
	line   int    // length of the status line in ok
	date   []byte // the Date field line
	server []byte // the Server field line, empty if there is none

	dateValue, serverValue string // the values of these fields
}

// preambles caches the preamble of the current second. Many goroutines read it; one that finds it stale makes a new
// one.
type preambles struct {
	current atomic.Pointer[preamble]
	name    string // value of the Server field
}

// at returns the preamble for the second that contains now.
func (p *preambles) at(now time.Time) *preamble {
	second := now.Unix()
	if pre := p.current.Load(); pre != nil && pre.second == second {
		return pre
	}
	return p.renew(now, second)
}

// renew makes the preamble of a new second. If several goroutines do so at the same time, they make equal ones.
func (p *preambles) renew(now time.Time, second int64) *preamble {
	pre := &preamble{second: second}
	pre.dateValue, pre.serverValue = now.UTC().Format(dateFormat), p.name
	pre.date, _ = http1.AppendField(nil, "Date", pre.dateValue)
	if p.name != "" {
		pre.server, _ = http1.AppendField(nil, "Server", p.name)
	}
	pre.ok = http1.AppendStatusLine(nil, 200, "")
	pre.line = len(pre.ok)
	pre.ok = append(pre.ok, pre.date...)
	pre.ok = append(pre.ok, pre.server...)
	p.current.Store(pre)
	return pre
}
