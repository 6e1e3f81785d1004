package client

import (
	"context"
	"io"
	"net/url"
)

// NewForm returns a POST request with values as a form, application/x-www-form-urlencoded.
func NewForm(url string, values url.Values) *Request {
	q := &Request{Method: "POST", URL: url, Body: []byte(values.Encode())}
	q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return q
}

// FormWriter is what NewMultipart needs of a *multipart.Writer.
type FormWriter interface {
	FormDataContentType() string
}

// NewMultipart returns a POST request with a form that w has written, or will write, to body: see Request.Stream for what
// becomes of it.
//
//	var body bytes.Buffer
//	w := multipart.NewWriter(&body)
//	w.WriteField("name", "value")
//	w.Close()
//	req := client.NewMultipart(url, w, &body)
//
// A form with large files is written to an io.Pipe on another goroutine, while its reading end is sent.
func NewMultipart(url string, w FormWriter, body io.Reader) *Request {
	q := &Request{Method: "POST", URL: url, Stream: body}
	q.Header.Set("Content-Type", w.FormDataContentType())
	return q
}

// PostForm sends values as a form and returns the response, which is to be closed.
func (c *Client) PostForm(url string, values url.Values) (*Response, error) {
	return c.Do(context.Background(), NewForm(url, values))
}
