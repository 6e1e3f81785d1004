package dial

import (
	"net/netip"
	"time"
)

// order returns the addresses of a name in the order in which the next dial tries them. Addresses that are not demoted
// come first, beginning with another one than last time.
func (d *Dialer) order(a *answer) []netip.Addr {
	d.mu.Lock()
	defer d.mu.Unlock()
	now, preferred := time.Now(), a.addrs[0].ip.Is4()
	var good, bad families
	for _, c := range a.addrs {
		to := &good
		if now.Before(c.demotedUntil) {
			to = &bad
		}
		if c.ip.Is4() == preferred {
			to.preferred = append(to.preferred, c.ip)
		} else {
			to.other = append(to.other, c.ip)
		}
	}
	good.rotate(a.dials)
	a.dials++
	return bad.interleave(good.interleave(make([]netip.Addr, 0, len(a.addrs))))
}

// families holds addresses by family, each in the order of the resolver (RFC 6724 §6).
type families struct {
	preferred []netip.Addr // of the family that the resolver puts first
	other     []netip.Addr
}

// rotate moves the first n addresses of each list to its end.
func (f *families) rotate(n uint) {
	f.preferred, f.other = rotated(f.preferred, n), rotated(f.other, n)
}

func rotated(list []netip.Addr, n uint) []netip.Addr {
	if len(list) < 2 {
		return list
	}
	n %= uint(len(list))
	return append(list[n:len(list):len(list)], list[:n]...)
}

// interleave appends the addresses to dst, with alternating families (RFC 8305 §4).
func (f *families) interleave(dst []netip.Addr) []netip.Addr {
	for i := range max(len(f.preferred), len(f.other)) {
		if i < len(f.preferred) {
			dst = append(dst, f.preferred[i])
		}
		if i < len(f.other) {
			dst = append(dst, f.other[i])
		}
	}
	return dst
}
