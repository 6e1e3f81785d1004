//go:build !linux

package load

import (
	"context"
	"time"
)

// alarm wakes one goroutine at its moments.
type alarm struct{ ctx context.Context }

// newAlarm returns an alarm that rings no more when ctx has ended.
func newAlarm(ctx context.Context) *alarm { return &alarm{ctx} }

// wait waits for d, and reports false if ctx ended before.
func (a *alarm) wait(d time.Duration) bool {
	sleep(a.ctx, d)
	return a.ctx.Err() == nil
}

func (a *alarm) close() {}
