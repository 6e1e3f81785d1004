package peer

import (
	"crypto/tls"
	"net"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"
)

// serveFastHTTP serves without the Server field, which the other peers do not send either. By default fasthttp never closes
// idle connections and reads bodies of up to 4 MiB into memory.
func serveFastHTTP(l net.Listener, conf *tls.Config) error {
	s := &fasthttp.Server{Handler: respondFastHTTP, NoDefaultServerHeader: true, Logger: quiet}
	if conf != nil {
		l = tls.NewListener(l, conf)
	}
	return s.Serve(l)
}

func respondFastHTTP(ctx *fasthttp.RequestCtx) {
	switch string(ctx.Path()) {
	case PathPost:
		ctx.SetContentType(typeText)
		ctx.SetBody(strconv.AppendInt(nil, int64(len(ctx.PostBody())), 10))
	case PathSleep:
		ms, err := milliseconds(ctx.URI().QueryString())
		if err != nil {
			ctx.Error(err.Error(), fasthttp.StatusBadRequest)
			return
		}
		time.Sleep(ms)
		ctx.SetContentType(typeText)
		ctx.Response.SetBodyRaw(Greeting)
	case PathWork:
		ctx.SetContentType(typeJSON)
		ctx.Response.SetBodyRaw(work())
	default:
		a := find(string(ctx.Path()))
		if a == nil {
			ctx.NotFound()
			return
		}
		if a.Close {
			ctx.SetConnectionClose()
		}
		ctx.SetContentType(a.ContentType)
		ctx.Response.SetBodyRaw(a.Body) // without a copy
	}
}
