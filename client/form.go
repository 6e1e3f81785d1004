package client

import (
	"context"
	"io"
	"net/url"
)

// FormWriter is the part of *multipart.Writer that NewMultipart needs.
type FormWriter interface {
	FormDataContentType() string
}

// NewMultipart returns a POST request with a form that w has written, or will write, to body. Request.Stream says how body
// is read and closed.
//
//	var body bytes.Buffer
//	w := multipart.NewWriter(&body)
//	w.WriteField("name", "value")
//	w.Close()
//	req := client.NewMultipart(url, w, &body)
//
// A form with large files can be written to an io.Pipe on another goroutine. body is then the pipe's reading end.
func NewMultipart(url string, w FormWriter, body io.Reader) *Request {
	q := &Request{Method: "POST", URL: url, Stream: body}
	q.Header.Set("Content-Type", w.FormDataContentType())
	return q
}

// PostForm sends a POST request with values as its body, encoded as application/x-www-form-urlencoded, and returns the
// response. The caller must close the response.
func (c *Client) PostForm(url string, values url.Values) (*Response, error) {
	e := c.exchange()
	e.own.Method, e.own.URL, e.own.Body = "POST", url, []byte(values.Encode())
	e.own.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return c.do(context.Background(), e, &e.own)
}
