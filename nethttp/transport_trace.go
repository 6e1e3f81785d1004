package nethttp

import (
	"net"
	"net/http/httptrace"
	"net/textproto"
	"strings"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// setHooks has the request's httptrace be told what becomes of it.
func (k *call) setHooks() {
	if k.trace == nil {
		k.trace = new(httptrace.ClientTrace)
	}
	t := k.trace
	if t.Got100Continue != nil || t.Got1xxResponse != nil {
		k.Interim = interimHook(t)
	}
	if k.reply.conn == nil && onlyInterim(t) {
		return
	}
	hooks := &httpclient.Trace{ // which may outlive the call
		Get:       func(httpclient.Key) { k.traceGet() },
		Got:       k.traceGot,
		FirstByte: t.GotFirstResponseByte,
		Head:      k.traceHead,
		Expects:   t.Wait100Continue,
	}
	if wrote := t.WroteRequest; wrote != nil {
		hooks.Sent = func(err error) { wrote(httptrace.WroteRequestInfo{Err: err}) }
	}
	if !k.t.DisableKeepAlives {
		hooks.PutIdle = t.PutIdleConn
	}
	if conn, put := k.reply.conn, hooks.PutIdle; conn != nil {
		hooks.PutIdle = func(err error) {
			if put != nil {
				put(err)
			}
			conn.changed() // behind a body that is sent longer than the response lasts
		}
	}
	k.Call.Trace = hooks
}

// onlyInterim reports whether t asks for informational responses at most, as that of a reverse proxy does; what a dial
// tells it finds by itself.
func onlyInterim(t *httptrace.ClientTrace) bool {
	return t.GetConn == nil && t.GotConn == nil && t.PutIdleConn == nil && t.GotFirstResponseByte == nil &&
		t.Wait100Continue == nil && t.WroteHeaderField == nil && t.WroteHeaders == nil && t.WroteRequest == nil
}

// traceGet tells that a connection is looked for.
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

// traceHead tells that the head has been sent, field by field.
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

// eachLine calls yield for each field of a head of HTTP/1.1, with all values of neighbours that have the same name.
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

// interimHook tells of informational responses.
func interimHook(t *httptrace.ClientTrace) func(status int, h *shockwave.Header) error {
	return func(status int, h *shockwave.Header) error {
		if status == 100 && t.Got100Continue != nil {
			t.Got100Continue()
		}
		if t.Got1xxResponse == nil {
			return nil
		}
		header := make(textproto.MIMEHeader, h.Len())
		for i := range h.Len() {
			name, value := h.At(i)
			header.Add(string(name), string(value))
		}
		return t.Got1xxResponse(status, header)
	}
}
