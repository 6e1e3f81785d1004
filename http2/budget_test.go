package http2

import "testing"

func TestBudget(t *testing.T) {
	b := budget{left: 100, limit: 100, earned: 1000}
	want := func(left int32) {
		t.Helper()
		if b.left != left {
			t.Fatalf("%d left, want %d", b.left, left)
		}
	}
	if !b.pay(40, 1000) {
		t.Fatal("cannot pay")
	}
	want(60)
	b.deliver(1023)
	want(60)
	b.deliver(1)
	want(61)
	b.deliver(5 * 1024)
	want(66)
	b.pay(0, 1000+earnTime-1)
	want(66)
	b.pay(0, 1000+earnTime)
	want(67)
	b.pay(0, 1000+earnTime+earnTime/2)
	b.pay(0, 1000+2*earnTime) // what was left of a unit's time is not lost
	want(68)
	b.deliver(1 << 30)
	want(100) // never above the limit
	b.pay(50, 1000+1000*earnTime)
	want(50)
	b.earn(60)
	want(100)
	if !b.pay(100, 1000+1000*earnTime) || b.pay(1, 1000+1000*earnTime) {
		t.Fatal("the last unit can be paid, and no more")
	}
}
