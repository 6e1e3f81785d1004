// Package preamble caches what the responses of one second begin with: the status line of 200, Date and Server.
package preamble

import (
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/http1"
)

// DateFormat is the format of an HTTP-date in GMT (RFC 9110 §5.6.7).
const DateFormat = "Mon, 02 Jan 2006 15:04:05 GMT"

// Preamble holds the start of every response that is sent within one second.
type Preamble struct {
	second int64
	OK     []byte // "HTTP/1.1 200 OK", Date and Server: the usual case is one copy
	Line   int    // length of the status line in OK
	Date   []byte // the Date field line
	Server []byte // the Server field line, empty if there is none

	DateValue, ServerValue string // the values of these fields
}

// Cache holds the Preamble of the current second. Many goroutines read it; one that finds it stale makes a new
// one.
type Cache struct {
	current atomic.Pointer[Preamble]
	Name    string // value of the Server field
}

// At returns the preamble for the second that contains now.
func (p *Cache) At(now time.Time) *Preamble {
	second := now.Unix()
	if pre := p.current.Load(); pre != nil && pre.second == second {
		return pre
	}
	return p.renew(now, second)
}

// renew makes the preamble of a new second. If several goroutines do so at the same time, they make equal ones.
func (p *Cache) renew(now time.Time, second int64) *Preamble {
	pre := &Preamble{second: second}
	pre.DateValue, pre.ServerValue = now.UTC().Format(DateFormat), p.Name
	pre.Date, _ = http1.AppendField(nil, "Date", pre.DateValue)
	if p.Name != "" {
		pre.Server, _ = http1.AppendField(nil, "Server", p.Name)
	}
	pre.OK = http1.AppendStatusLine(nil, 200, "")
	pre.Line = len(pre.OK)
	pre.OK = append(pre.OK, pre.Date...)
	pre.OK = append(pre.OK, pre.Server...)
	p.current.Store(pre)
	return pre
}
