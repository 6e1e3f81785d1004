package nethttp

import (
	"net/http/httptrace"
	"net/textproto"

	"github.com/shockwave-go/shockwave/internal/h2client"
)

// traceGet tells that a connection is looked for.
func (k *call) traceGet(key h2client.Key) {
	if k.trace != nil && k.trace.GetConn != nil {
		port := "80"
		if key.Secure {
			port = "443"
		}
		host := key.Host
		if k.req.URL.Port() == "" {
			host += ":" + port
		}
		k.trace.GetConn(host)
	}
}

// traceGot tells that the request has been begun, and returns whether the connection had carried another before.
func (k *call) traceGot() (reused bool) {
	c := k.Conn()
	reused = c.Reused()
	if k.trace == nil {
		return reused
	}
	if k.trace.GotConn != nil {
		k.trace.GotConn(httptrace.GotConnInfo{Conn: c.Link().NetConn(), Reused: reused})
	}
	if k.trace.WroteHeaderField != nil {
		k.eachField(func(name, value string) { k.trace.WroteHeaderField(name, []string{value}) })
	}
	if k.trace.WroteHeaders != nil {
		k.trace.WroteHeaders()
	}
	if !k.sends {
		k.traceWrote(nil)
	}
	return reused
}

// traceWrote tells that the request has been sent, or not.
func (k *call) traceWrote(err error) {
	if k.trace != nil && k.trace.WroteRequest != nil {
		k.trace.WroteRequest(httptrace.WroteRequestInfo{Err: err})
	}
}

// traceInterim tells of an informational response.
func (k *call) traceInterim(in h2client.Interim) error {
	if k.trace == nil {
		return nil
	}
	if in.Status == 100 && k.trace.Got100Continue != nil {
		k.trace.Got100Continue()
	}
	if k.trace.Got1xxResponse == nil {
		return nil
	}
	header := make(textproto.MIMEHeader, len(in.Fields))
	for _, f := range in.Fields {
		header.Add(f.Name, f.Value)
	}
	return k.trace.Got1xxResponse(in.Status, header)
}
