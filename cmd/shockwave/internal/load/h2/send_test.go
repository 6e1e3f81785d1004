package h2

import (
	"context"
	"net/url"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/drive"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/pace"
	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/request"
	"github.com/shockwave-go/shockwave/http2"
)

// idle is a driver, and its only connection, which does nothing.
type idle struct {
	slots  chan *drive.Slot
	nudged chan struct{}
}

func (d *idle) Turns() pace.Turns      { return pace.Turns{All: 1} }
func (d *idle) Bytes() (in, out int64) { return 0, 0 }
func (d *idle) Close(context.Context)  {}
func (d *idle) Nudge(int64)            { close(d.nudged) }
func (d *idle) Expire(int64)           {}
func (d *idle) Abort()                 {}
func (d *idle) Open(_ context.Context, s *drive.Slot) error {
	s.Lock()
	defer s.Unlock()
	d.slots <- s
	return s.Attach(d)
}

// A connection or a run that is over sends nothing.
func TestNothingMore(t *testing.T) {
	run := &idle{slots: make(chan *drive.Slot, 1), nudged: make(chan struct{})}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := drive.Run(ctx, drive.Plan{Conns: 1, URLs: 1, Duration: time.Hour, Timeout: time.Hour}, run)
		ended <- err
	}()
	s := <-run.slots
	<-run.nudged // requests may be sent
	req := &request.Request{URLs: []*url.URL{{Scheme: "http", Host: "h"}}, Method: "GET"}
	sections, err := req.Sections()
	if err != nil {
		t.Fatal(err)
	}
	connect := func() *conn { return newConn(s, nil, &requests{sections: sections}, 3) }
	sends := func(c *conn) int {
		out, _ := c.AppendOutput(nil, 1<<10)
		return len(out)
	}
	c := connect()
	if n := sends(c); n < len(http2.Preface) || c.used != 3 {
		t.Errorf("it sends %d bytes, %d requests among them", n, c.used)
	}
	over := connect()
	over.over = true
	if n := sends(over); n > 0 {
		t.Errorf("behind its end it sends %d bytes", n)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if n := sends(connect()); n > 0 {
		t.Errorf("behind the end of the run it sends %d bytes", n)
	}
}
