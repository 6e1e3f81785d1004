package nethttptest

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
)

// DefaultRemoteAddr is httptest.DefaultRemoteAddr.
const DefaultRemoteAddr = httptest.DefaultRemoteAddr

// ResponseRecorder is httptest.ResponseRecorder.
type ResponseRecorder = httptest.ResponseRecorder

// NewRecorder is httptest.NewRecorder.
func NewRecorder() *ResponseRecorder { return httptest.NewRecorder() }

// NewRequest is httptest.NewRequest.
func NewRequest(method, target string, body io.Reader) *http.Request {
	return httptest.NewRequest(method, target, body)
}

// NewRequestWithContext is httptest.NewRequestWithContext.
func NewRequestWithContext(ctx context.Context, method, target string, body io.Reader) *http.Request {
	return httptest.NewRequestWithContext(ctx, method, target, body)
}
