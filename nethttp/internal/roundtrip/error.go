package roundtrip

import (
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// errSlowServer is returned if the server does not take the request, or takes it too slowly.
var errSlowServer error = timeoutError("nethttp: timeout sending the request")

var errClosed = errors.New("nethttp: the Transport is closed")

// roundTripError returns the error of RoundTrip for a request that has failed with err before its response arrived.
func (k *call) roundTripError(err error) error {
	switch {
	case err == httpclient.ErrSendTimeout:
		return errSlowServer
	case err == httpclient.ErrHeadTimeout:
		return errHeaderTimeout
	case err == httpclient.ErrClosed:
		return errClosed
	case err == errCanceled && !k.headBuilt:
		return errCanceledWaiting
	}
	if err == httpclient.ErrInterim {
		return fmt.Errorf("net/http: server response headers exceeded %d bytes; aborted: too many 1xx informational responses", k.maxHead)
	}
	if spent, ok := err.(*httpclient.SpentBody); ok {
		return fmt.Errorf("http2: Transport: cannot retry err [%w] after Request.Body was written; define Request.GetBody to avoid this error", spent.Err)
	}
	var bad *httpclient.BadHead
	if errors.As(err, &bad) {
		return k.badHeadError(bad)
	}
	return err
}

// badHeadError returns the error for a malformed response: the text of http.Transport if it has one for the case,
// followed by the cause.
func (k *call) badHeadError(bad *httpclient.BadHead) error {
	var wrong *http1.Error
	errors.As(bad, &wrong)
	if wrong.Status == http.StatusRequestHeaderFieldsTooLarge {
		return fmt.Errorf("net/http: server response headers exceeded %d bytes; aborted: %w", k.maxHead, bad)
	}
	line, fields, _ := strings.Cut(bad.Text, "\n")
	words := ""
	if line = strings.TrimSuffix(line, "\r"); !strings.HasPrefix(line, "HTTP/1.") {
		words = fmt.Sprintf("malformed HTTP response %q: ", line)
	} else if v, ok := badContentLength(fields); ok {
		words = fmt.Sprintf("bad Content-Length %q: ", v)
	}
	return fmt.Errorf("net/http: HTTP/1.x transport connection broken: %s%w", words, bad)
}

// badContentLength returns the first Content-Length in fields that is not a number.
func badContentLength(fields string) (string, bool) {
	for line := range strings.SplitSeq(fields, "\n") {
		name, v, _ := strings.Cut(line, ":")
		if v = strings.TrimSpace(v); strings.EqualFold(name, "Content-Length") && strings.Trim(v, "0123456789") != "" {
			return v, true
		}
	}
	return "", false
}
