package muxsession

import "github.com/shockwave-go/shockwave/internal/wire/muxframe"

// gotSessionWindow adds to what the peer's session window has left.
func (o *outflow) gotSessionWindow(n uint64) error {
	if err := addCredit(&o.credit, n); err != nil {
		return err
	}
	o.feed()
	o.fill(nil)
	return nil
}

// gotWindow adds to what the peer's window for c has left.
func (o *outflow) gotWindow(c *Channel, n uint64) error {
	if err := addCredit(&c.out.credit, n); err != nil {
		return err
	}
	o.wake(c)
	return nil
}

// gotReserve adds n to the reserve of c, which never exceeds its first value.
func (o *outflow) gotReserve(c *Channel, n uint64) error {
	if int64(n) > int64(o.theirs.reserve)-int64(c.out.reserve) {
		return muxframe.Broken("a reserve that is too large")
	}
	c.out.reserve += int32(n)
	o.sate(c)
	o.wake(c)
	return nil
}

// gotGrant lets the current message of c pass the windows.
func (o *outflow) gotGrant(c *Channel, f *muxframe.Frame, now int64) error {
	k := &c.out.counts
	if f.M < k.grants || f.M > k.fins {
		return o.budget.spend(now, 1) // the second for its message, or for none
	}
	k.grants = f.M + 1
	if f.M == k.fins && c.out.midMessage() { // else the message has ended meanwhile
		c.out.exempt = int(f.N)
		o.sate(c)
		o.wake(c)
	}
	return nil
}

// addCredit adds n to a window. The sum is computed in 64 bits because a misbehaving peer could overflow an int of 32 bits.
func addCredit(credit *int, n uint64) error {
	sum := int64(*credit) + int64(n)
	if sum > muxframe.MaxCredit {
		return muxframe.Broken("a window that is too large")
	}
	*credit = int(sum)
	return nil
}
