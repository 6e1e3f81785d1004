package roundtrip

import (
	"net"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// setHooks sets the hooks that report the progress of the request to its httptrace and its ClientConn.
func (k *call) setHooks() {
	if k.trace == nil {
		k.trace = new(httptrace.ClientTrace)
	}
	t := k.trace
	if t.Got100Continue != nil || t.Got1xxResponse != nil {
		k.Interim = k.interim
	}
	if k.reply.conn == nil && onlyInterim(t) {
		return
	}
	hooks := &httpclient.Trace{ // may be used after the call has ended
		Get:       func(httpclient.Key) { k.traceGet() },
		Got:       k.traceGot,
		FirstByte: t.GotFirstResponseByte,
		Head:      k.traceHead,
		Expects:   t.Wait100Continue,
	}
	if wrote := t.WroteRequest; wrote != nil {
		hooks.Sent = func(err error) { wrote(httptrace.WroteRequestInfo{Err: err}) }
	}
	if !k.DisableKeepAlives {
		hooks.PutIdle = t.PutIdleConn
	}
	if conn, put := k.reply.conn, hooks.PutIdle; conn != nil {
		hooks.PutIdle = func(err error) {
			if put != nil {
				put(err)
			}
			conn.changed() // the request's body may end after the response
		}
	}
	k.Call.Trace = hooks
}

// onlyInterim reports whether t has no hooks except those for informational responses, like the trace of a reverse
// proxy, and those for dials, which find the trace in the context.
func onlyInterim(t *httptrace.ClientTrace) bool {
	return t.GetConn == nil && t.GotConn == nil && t.PutIdleConn == nil && t.GotFirstResponseByte == nil &&
		t.Wait100Continue == nil && t.WroteHeaderField == nil && t.WroteHeaders == nil && t.WroteRequest == nil
}

// traceGet reports that the request needs a connection.
func (k *call) traceGet() {
	if get := k.trace.GetConn; get != nil {
		get(hostAndPort(k.req.URL))
	}
}

func (k *call) traceGot(nc net.Conn, reused bool, idle time.Duration) {
	if got := k.trace.GotConn; got != nil {
		got(httptrace.GotConnInfo{Conn: unwrapUserConn(nc), Reused: reused, WasIdle: reused, IdleTime: idle})
	}
}

// traceHead reports the head that has been sent, field by field.
func (k *call) traceHead() {
	if wrote := k.trace.WroteHeaderField; wrote != nil {
		if k.headLines == nil {
			k.eachField(func(name, value string) { wrote(name, []string{value}) })
		} else {
			eachLine(string(k.headLines), wrote)
		}
	}
	if wrote := k.trace.WroteHeaders; wrote != nil {
		wrote()
	}
}

// eachLine calls yield for each field of an HTTP/1.1 head. Adjacent fields with the same name are passed in one call.
func eachLine(head string, yield func(name string, values []string)) {
	var name string
	var values []string
	_, head, _ = strings.Cut(head, "\r\n")
	for line := range strings.SplitSeq(strings.TrimSuffix(head, "\r\n"), "\r\n") {
		n, v, _ := strings.Cut(line, ": ")
		if n != name && values != nil {
			yield(name, values)
			values = nil
		}
		name, values = n, append(values, v)
	}
	if values != nil {
		yield(name, values)
	}
}

// reportInterim reports an informational response to k.trace.
func (k *call) reportInterim(status int, h *shockwave.Header) error {
	t := k.trace
	if status == 100 && t.Got100Continue != nil {
		t.Got100Continue()
	}
	if t.Got1xxResponse == nil {
		return nil
	}
	header := make(textproto.MIMEHeader, h.Len())
	for name, value := range h.All() {
		header.Add(string(name), string(value))
	}
	return t.Got1xxResponse(status, header)
}
