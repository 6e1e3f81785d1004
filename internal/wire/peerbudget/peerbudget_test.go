package peerbudget

import "testing"

// Work costs budget; delivered data and time give it back, up to the limit.
func TestBudget(t *testing.T) {
	b := New(100, 1000)
	want := func(left int32) {
		t.Helper()
		if b.Left != left {
			t.Fatalf("%d left, want %d", b.Left, left)
		}
	}
	if !b.Pay(40, 1000) {
		t.Fatal("cannot pay")
	}
	want(60)
	b.Deliver(1023)
	want(60)
	b.Deliver(1)
	want(61)
	b.Deliver(5 * 1024)
	want(66)
	b.Pay(0, 1000+EarnTime-1)
	want(66)
	b.Pay(0, 1000+EarnTime)
	want(67)
	b.Pay(0, 1000+EarnTime+EarnTime/2)
	b.Pay(0, 1000+2*EarnTime) // what was left of a unit's time is not lost
	want(68)
	b.Deliver(1 << 30)
	want(100) // never above the limit
	b.Pay(50, 1000+1000*EarnTime)
	want(50)
	b.Earn(60)
	want(100)
	if !b.Pay(100, 1000+1000*EarnTime) || b.Pay(1, 1000+1000*EarnTime) {
		t.Fatal("the last unit can be paid, and no more")
	}
}
