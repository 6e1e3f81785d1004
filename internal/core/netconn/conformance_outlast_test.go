package netconn_test

import (
	"errors"
	"net"
	"sync/atomic"
	"testing"

	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// Work whose peer has closed its half ends as Data says when it is nudged.
func TestDataEndsOutlast(t *testing.T) {
	onSome(t, isAny, func(t *testing.T, k kind) {
		failure := errors.New("no more")
		var fail atomic.Bool
		r := newRig(t, k)
		made := make(chan *worker, 1)
		cfg := netconn.Config{New: func(c *netconn.Conn, _ net.Listener) (netconn.Protocol, error) {
			respond := lines(func(c *netconn.Conn, line string) error {
				c.BeginWork()
				return echo(c, line)
			})
			w := &worker{conn: c, nudged: make(chan string, 1), protocol: protocol{r: r,
				data: func(c *netconn.Conn, in []byte) (int, error) {
					if fail.Load() {
						return 0, failure
					}
					return respond(c, in)
				}}}
			made <- w
			return w, nil
		}}
		r.start(cfg, r.listen())
		w, talk := atWork(t, r, made)
		talk.HalfClose()
		outlasts(t)
		fail.Store(true)
		w.conn.Nudge()
		if err := r.wantEnd(); err != failure {
			t.Errorf("ended with %v, want %v", err, failure)
		}
	})
}
