//go:build !linux

package load

import (
	"context"
	"time"
)

// alarm makes one goroutine sleep. On Linux it is more precise.
type alarm struct{ ctx context.Context }

// newAlarm returns an alarm that works until ctx is done.
func newAlarm(ctx context.Context) *alarm { return &alarm{ctx} }

// wait waits for d. It reports false if ctx is done before.
func (a *alarm) wait(d time.Duration) bool {
	sleep(a.ctx, d)
	return a.ctx.Err() == nil
}

func (a *alarm) close() {}
