package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// budget limits the frames of a peer that make no progress, such as PING: budgetBurst at once, and budgetRate a second.
type budget struct {
	spent int32
	late  int32 // frames for channels that are over that cost nothing: the peer may have sent so many before it knew
	since int64
}

const (
	budgetBurst = 20_000
	budgetRate  = 10_000 // per second

	// lateFrames is how many frames other than DATA and GRANT a conforming peer may have sent of a channel before it knew that
	// it is over: END, the same with STOP, RESET, and four WINDOWs, because each returns a quarter of the window or more.
	lateFrames = 7
	maxLate    = 1 << 24
)

// allowLate is called for each channel that is over before the peer knows.
func (b *budget) allowLate() { b.late = min(b.late+lateFrames, maxLate) }

// spendLate accounts for a frame other than DATA for a channel that is over.
func (b *budget) spendLate(now int64) error {
	if b.late > 0 {
		b.late--
		return nil
	}
	return b.spend(now, 1)
}

func (b *budget) spend(now int64, n int) error {
	if b.spent == 0 {
		b.since = now
	}
	if b.spent += int32(n); b.spent <= budgetBurst {
		return nil
	}
	b.spent -= int32(min(int64(b.spent), (now-b.since)/(1e9/budgetRate)))
	b.since = now
	if b.spent > budgetBurst {
		return muxframe.Broken("a flood of frames without effect")
	}
	return nil
}
