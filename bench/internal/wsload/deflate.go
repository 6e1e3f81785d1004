package wsload

import (
	"errors"
	"sync/atomic"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/load"
)

// Deflate makes every connection send the same compressed message repeatedly, each time when the previous echo has arrived.
// The first echo of each connection is decompressed and compared. Later echoes are compared with the first frame, and
// decompressed only if they differ.
func Deflate(path string, opt Options) (*load.Account, error) {
	m, err := Compressed()
	if err != nil {
		return nil, err
	}
	all, err := dialAll(path, opt, true)
	if err != nil {
		return nil, err
	}
	defer all.close()
	var done atomic.Int64
	var stop atomic.Bool
	failed := make(chan error, len(all))
	for _, c := range all {
		go func() { failed <- c.echo(m, &done, &stop) }()
	}
	a, err := count(opt, &done)
	stop.Store(true)
	for range all {
		err = errors.Join(err, <-failed)
	}
	return a, err
}

// echo sends and receives until stop is set.
func (c *Conn) echo(m *Message, done *atomic.Int64, stop *atomic.Bool) error {
	c.nc.SetDeadline(time.Time{})
	var before []byte
	for !stop.Load() {
		var err error
		if before, err = c.repeat(m, before); err != nil {
			return err
		}
		done.Add(1)
	}
	return nil
}

// count waits, and returns the account of the operations between the end of the warm-up and the end of the duration.
func count(opt Options, done *atomic.Int64) (*load.Account, error) {
	time.Sleep(opt.Warmup)
	first := done.Load()
	began, err := Look(opt.PID)
	if err != nil {
		return nil, err
	}
	time.Sleep(opt.Duration)
	n := done.Load() - first
	ended, err := Look(opt.PID)
	if err != nil {
		return nil, err
	}
	return ended.Since(&began, n), nil
}
