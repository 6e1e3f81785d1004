package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"

	"github.com/shockwave-go/shockwave/client/internal/redirect"
)

// isRedirect reports whether the response may be a redirect to follow.
func (e *exchange) isRedirect() bool {
	s := e.resp.raw.Status
	return s >= 301 && s <= 308 && e.shared.cfg.MaxRedirects >= 0 && e.resp.Header().Has("Location")
}

// follow follows redirects until a response is final, and returns the exchange with that.
func (e *exchange) follow(ctx context.Context) (last *exchange, err error) {
	defer func() {
		if last == nil { // a hook has panicked
			e.resp.raw.Close()
		}
	}()
	first, err := url.Parse(e.out.head.To.Text)
	if err != nil {
		return e, err
	}
	chain := redirect.New(e.out.head.Method, first, e.shared.cfg.MaxRedirects)
	rewind := e.out.call.Rewind
	oneShotBody := e.out.call.Body != nil && rewind == nil
	for e.isRedirect() {
		from := chain.Last
		to, err := chain.Next(e.resp.raw.Status, e.resp.Header().GetString("Location"), oneShotBody)
		if err != nil || to == nil {
			return e, err
		}
		if follow, err := e.askRedirect(to); !follow {
			return e, err
		}
		e = e.renew(to.Body)
		if err := e.out.redirect(to, &from, &e.shared.cfg); err != nil {
			return e, err
		}
		if !to.Body {
			e.out.dropBody()
		} else if err := e.out.rewindBody(rewind); err != nil {
			return e, err
		}
		if err := e.setCall(); err != nil {
			return e, err
		}
		if e, err = e.send(ctx); err != nil {
			return e, err
		}
	}
	return e, nil
}

// askRedirect asks the program whether to follow a redirect, and reports it to the counters and the Trace if so.
func (e *exchange) askRedirect(to *redirect.Hop) (follow bool, err error) {
	status := e.resp.raw.Status
	if ask := e.shared.cfg.OnRedirect; ask != nil {
		err := ask(status, e.resp.Header(), to.Method, to.URL.String())
		if errors.Is(err, http.ErrUseLastResponse) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
	}
	e.shared.stats.redirects.Add(1)
	if t := e.trace; t != nil && t.Redirect != nil {
		t.Redirect(status, to.Method, redacted(to.URL.String()))
	}
	return true, nil
}
