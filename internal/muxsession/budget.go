package muxsession

import "github.com/shockwave-go/shockwave/internal/muxframe"

// budget limits the frames of a peer that make no progress, such as PING: budgetBurst at once, and budgetRate a second.
type budget struct {
	spent  int32
	resets uint32 // RESETs that cost nothing: one for each channel that this side has reset
	since  int64
}

const (
	budgetBurst = 20_000
	budgetRate  = 10_000 // per second
)

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
