// Package h1 drives a run over HTTP/1.1.
package h1

import (
	"context"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/tcp"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// driver implements drive.Driver.
type driver struct {
	*tcp.Transport
	script *pipeline.Script
	method string
	closes bool // the requests ask the server to close the connection after the response
	depth  int
	known  []knownHead // by shard
}

// New returns a Driver that sends req, with up to depth requests in flight on a connection.
func New(req *request.Request, depth int, transport tcp.Config) (drive.Driver, error) {
	script, err := newScript(req, depth)
	if err != nil {
		return nil, err
	}
	d := &driver{
		Transport: tcp.New(transport), script: script, method: req.Method, closes: req.Closes(), depth: depth,
		known: make([]knownHead, drive.MostShards()),
	}
	if d.closes {
		d.depth = 1 // a server does not answer requests after such a one (RFC 9112 §9.6)
	}
	return d, nil
}

// newScript builds the requests, one for each URL.
func newScript(req *request.Request, depth int) (*pipeline.Script, error) {
	heads, err := req.Heads()
	if err != nil {
		return nil, err
	}
	if err := req.Check(); err != nil {
		return nil, err
	}
	script := &pipeline.Script{Turns: pace.Turns{All: len(heads)}, Heads: heads}
	longest := 0
	for _, head := range heads {
		script.Bodies = append(script.Bodies, req.Body)
		longest = max(longest, len(head)+len(req.Body))
	}
	if longest*depth <= pipeline.InlineBytes {
		script.MakeBatch(depth)
	}
	return script, nil
}

// Turns implements drive.Driver.
func (d *driver) Turns() pace.Turns { return d.script.Turns }

// Open implements drive.Driver.
func (d *driver) Open(ctx context.Context, s *drive.Slot) error {
	return d.Transport.Open(ctx, s, func(c *netconn.Conn) (netconn.Protocol, error) {
		r := &reader{method: d.method, closes: d.closes, known: &d.known[s.Shard()]}
		return pipeline.Start(s, c, d.script, d.depth, r)
	})
}
