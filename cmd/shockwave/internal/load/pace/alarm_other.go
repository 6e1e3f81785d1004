//go:build !linux

package pace

import (
	"context"
	"time"
)

// Alarm makes one goroutine sleep. On Linux it is more precise.
type Alarm struct{ ctx context.Context }

// NewAlarm returns an Alarm that works until ctx is done.
func NewAlarm(ctx context.Context) *Alarm { return &Alarm{ctx} }

// Wait waits for d. It reports false if ctx is done before.
func (a *Alarm) Wait(d time.Duration) bool {
	Sleep(a.ctx, d)
	return a.ctx.Err() == nil
}

// Close ends the alarm.
func (a *Alarm) Close() {}
