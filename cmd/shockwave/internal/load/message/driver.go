package message

import (
	"context"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pipeline"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/tcp"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// driver implements drive.Driver.
type driver struct {
	*tcp.Transport
	messages  *messages
	script    *pipeline.Script
	handshake *handshake // nil without WebSocket
	depth     int
	known     []known // by shard
}

// New returns a Driver that sends messages.
func New(cfg Config) (drive.Driver, error) {
	d := &driver{depth: cfg.Depth}
	if cfg.WebSocket {
		var err error
		if d.handshake, err = newHandshake(cfg.Request, cfg.Spec); err != nil {
			return nil, err
		}
	}
	d.messages, d.script = newMessages(&cfg)
	d.known = make([]known, drive.MostShards())
	for i := range d.known {
		d.known[i].frames = make([][]byte, d.script.Turns.All)
	}
	d.Transport = tcp.New(cfg.Transport)
	return d, nil
}

// Turns implements drive.Driver.
func (d *driver) Turns() pace.Turns { return d.script.Turns }

// Open implements drive.Driver.
func (d *driver) Open(ctx context.Context, s *drive.Slot) error {
	return d.Transport.Open(ctx, s, func(c *netconn.Conn) (netconn.Protocol, error) {
		if d.handshake != nil {
			start := time.Now()
			if err := d.handshake.make(c, s.Timeout()); err != nil {
				return nil, err
			}
			s.Note(account.Upgrade, time.Since(start))
		}
		if d.messages.spec.OneWay {
			return startOneWay(s, c, d.messages, d.script, d.depth)
		}
		return pipeline.Start(s, c, d.script, d.depth, d.newReader(s))
	})
}

func (d *driver) newReader(s *drive.Slot) pipeline.Reader {
	if d.handshake == nil {
		return newStreamReader(d.messages)
	}
	return newEchoReader(d.messages, &d.known[s.Shard()])
}
