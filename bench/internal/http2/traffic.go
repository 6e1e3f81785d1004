package http2

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/frame"
	"github.com/shockwave-go/shockwave/bench/internal/h2ask"
	"github.com/shockwave-go/shockwave/bench/internal/h2load"
	"github.com/shockwave-go/shockwave/bench/internal/h2peer"
	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/bench/internal/process"
	"github.com/shockwave-go/shockwave/bench/internal/result"
	"github.com/shockwave-go/shockwave/bench/internal/suite"
)

// traffic describes one kind of load on one path.
type traffic struct {
	path           string
	body           int // bytes of the POST body; 0 means GET
	conns, streams int
}

// exchange returns one request of the traffic with its expected response. It omits the content type for nghttpd, which derives
// it from the extension of the file's name.
func (t *traffic) exchange(name string) frame.Exchange {
	x := frame.Exchange{Method: http.MethodGet, Path: t.path}
	if t.body > 0 {
		x.Method, x.Body = http.MethodPost, posted(t.body)
	}
	x.ContentType, x.Response, _ = peer.Expect(t.path, t.body)
	if name == h2peer.Nghttpd {
		x.ContentType = ""
	}
	return x
}

// check returns an error if a peer does not give the expected response. It asks twice on one connection, because the second
// response uses the HPACK dynamic table that the first has filled.
func (t *traffic) check(s *process.Server) error {
	x := t.exchange(s.Name)
	c, err := h2ask.Dial(s.Addr, s.TLS)
	if err != nil {
		return err
	}
	defer c.Close()
	return errors.Join(c.Do(&x), c.Do(&x))
}

// measure loads a peer and returns what h2load counted.
func (t *traffic) measure(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	p, err := t.plan(b)
	if err != nil {
		return nil, err
	}
	a, err := h2load.Run(ctx, s, p)
	if err != nil {
		return nil, err
	}
	return figures(a), nil
}

// plan returns the traffic as a plan for h2load.
func (t *traffic) plan(b *suite.Bench) (p h2load.Plan, err error) {
	_, response, _ := peer.Expect(t.path, t.body)
	p = h2load.Plan{Path: t.path, Conns: t.conns, Streams: t.streams, Response: len(response), Duration: b.Duration}
	if t.body > 0 {
		p.BodyFile, err = file(b, "body-"+strconv.Itoa(t.body), posted(t.body))
	}
	return p, err
}

// time returns how long a measurement takes, including the runs that are not counted.
func (t *traffic) time(d time.Duration) time.Duration { return d + 700*time.Millisecond }

// posted returns a body of n bytes.
func posted(n int) []byte { return bytes.Repeat([]byte{'x'}, n) }

// file writes a file that is removed at the end of the run, and returns its path.
func file(b *suite.Bench, name string, text []byte) (string, error) {
	name = filepath.Join(b.Dir, name)
	return name, os.WriteFile(name, text, 0o600)
}

// measureCalls measures unary gRPC calls. h2load counts the bytes of the messages.
func measureCalls(ctx context.Context, b *suite.Bench, s *process.Server) (result.Values, error) {
	request, response := h2peer.Call()
	name, err := file(b, "call", request)
	if err != nil {
		return nil, err
	}
	a, err := h2load.Run(ctx, s, h2load.Plan{
		Path: h2peer.PathUnary, Fields: []string{"content-type: application/grpc", "te: trailers"}, BodyFile: name,
		Conns: 1, Streams: 100, Response: len(response), Duration: b.Duration,
	})
	if err != nil {
		return nil, err
	}
	return figures(a), nil
}

// checkCalls returns an error if a peer does not give the expected response to a call.
func checkCalls(s *process.Server) error {
	request, response := h2peer.Call()
	c, err := h2ask.Dial(s.Addr, s.TLS)
	if err != nil {
		return err
	}
	defer c.Close()
	r, err := c.Ask(http.MethodPost, h2peer.PathUnary, []string{"content-type", "application/grpc", "te", "trailers"}, request)
	if err != nil {
		return err
	}
	status := r.Trailer["grpc-status"]
	if !bytes.Equal(r.Body, response) || len(status) != 1 || status[0] != "0" {
		return fmt.Errorf("a call got the response %q, %v, %v", r.Body, r.Header, r.Trailer)
	}
	return nil
}
