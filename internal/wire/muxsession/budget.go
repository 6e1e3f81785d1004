package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// budget limits the frames of a peer that make no progress, such as PING: budgetBurst at once, and budgetRate a second.
type budget struct {
	spent int32
	late  int32 // frames for channels that are over that cost nothing: the peer may have sent so many before it knew
	since int64

	lateReserve int32 // bytes of reserves that the peer may still use for channels that are over
}

const (
	budgetBurst = 20_000
	budgetRate  = 10_000 // per second

	// lateFrames is how many frames other than DATA a conforming peer may have sent of a channel before it knew that it is
	// over: END, the same with STOP, RESET, a GRANT, four WINDOWs, because each returns a quarter of the window or more, and
	// two for the reserve.
	lateFrames = 10
	maxLate    = 1 << 24
)

// allowLate is called for each channel that is over before the peer knows.
func (b *budget) allowLate() { b.late = min(b.late+lateFrames, maxLate) }

// allowLateReserve is called with what is left of the reserve of each channel that is over.
func (b *budget) allowLateReserve(n int32) {
	b.lateReserve = min(b.lateReserve, maxLate) + min(n, maxLate)
}

// spendLateReserve accounts for DATA that uses the reserve of a channel that is over.
func (b *budget) spendLateReserve(now int64, cost int) error {
	if cost > int(b.lateReserve) {
		return b.spend(now, 1)
	}
	b.lateReserve -= int32(cost)
	return nil
}

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
