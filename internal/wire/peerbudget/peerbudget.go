// Package peerbudget limits how much work without progress a peer may cause.
package peerbudget

// Budget is a number of units. The peer pays for what makes no progress, and earns units back by completed messages, by bytes
// that are delivered and by time. There are never more than Limit, so that a peer that behaved for hours can do no more harm
// at once than a new one. A Budget is not safe for concurrent use.
type Budget struct {
	Left   int32
	Limit  int32
	moved  int32 // delivered bytes that have not earned a unit yet
	earned int64 // the time up to which the earnings by time were added
}

// EarnTime is how many nanoseconds earn a unit.
const EarnTime = 20 * 1_000_000

// EarnBytes is how many delivered bytes earn a unit.
const EarnBytes = 1024

// Default is the usual limit: less than the 1,000 frames within which a flood must end.
const Default = 900

// New returns a full budget at now, in nanoseconds.
func New(limit int32, now int64) Budget { return Budget{Left: limit, Limit: limit, earned: now} }

// Pay subtracts cost and reports whether the budget covers it.
func (b *Budget) Pay(cost int32, now int64) bool {
	if d := now - b.earned; d >= EarnTime {
		b.Earn(int32(min(d/EarnTime, int64(b.Limit))))
		b.earned = now - d%EarnTime
	}
	b.Left -= cost
	return b.Left >= 0
}

// Earn adds n units.
func (b *Budget) Earn(n int32) { b.Left = min(b.Left+n, b.Limit) }

// Deliver earns what n bytes of content are worth, which were sent to the peer or taken from it.
func (b *Budget) Deliver(n int) {
	moved := int(b.moved) + n
	b.Earn(int32(min(moved/EarnBytes, int(b.Limit))))
	b.moved = int32(moved % EarnBytes)
}
