package dial

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

const (
	defaultKeep = 30 * time.Second
	staleFor    = time.Hour        // for which an old answer serves when there is no new one
	shunFor     = 30 * time.Second // for which an address that failed is tried last
	mostNames   = 256              // whose answers are kept
	mostOfKind  = 32               // addresses of one family that an answer is kept with
)

// answer is what is known of a name. The Dialer's lock guards it.
type answer struct {
	addrs []address // in the resolver's order
	turn  uint      // how many dials have begun
	asked time.Time // when the resolver gave addrs
	until time.Time // from when on it is asked again
}

// address is one of a name.
type address struct {
	ip   netip.Addr
	last time.Time // until when others are tried first
}

// learn takes the resolver's answer for host, and returns what is to be used. The lock is held.
func (d *Dialer) learn(host string, found []net.IPAddr, err error) (*answer, error) {
	now, addrs := time.Now(), addresses(found)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	a := d.answers[host]
	switch {
	case err == nil && a == nil:
		a = new(answer)
		d.keep(host, a)
	case err == nil:
		carry(addrs, a.addrs)
	case a == nil:
		return nil, err
	case isGone(err) || now.Sub(a.asked) > d.keepFor()+staleFor:
		delete(d.answers, host)
		return nil, err
	default: // the old answer is better than none (RFC 8767 §4)
		a.until = now.Add(d.keepFor())
		return a, nil
	}
	a.addrs, a.asked, a.until = addrs, now, now.Add(d.keepFor())
	return a, nil
}

// keepFor is Keep or its default.
func (d *Dialer) keepFor() time.Duration {
	if d.Keep == 0 {
		return defaultKeep
	}
	return d.Keep
}

// keep adds the answer for a name, in place of the oldest one if there are too many. The lock is held.
func (d *Dialer) keep(host string, a *answer) {
	if d.Keep < 0 {
		return
	}
	if d.answers == nil {
		d.answers = map[string]*answer{}
	}
	if len(d.answers) >= mostNames {
		var oldest string
		for name, b := range d.answers {
			if oldest == "" || b.asked.Before(d.answers[oldest].asked) {
				oldest = name
			}
		}
		delete(d.answers, oldest)
	}
	d.answers[host] = a
}

// isGone reports whether the resolver knows that there is no such name, or no address of it.
func isGone(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}

// addresses returns what the resolver found, each address once and not too many.
func addresses(found []net.IPAddr) (addrs []address) {
	var kinds [2]int
	for _, f := range found {
		ip, ok := netip.AddrFromSlice(f.IP)
		if ip = ip.Unmap().WithZone(f.Zone); !ok || slices.ContainsFunc(addrs, func(a address) bool { return a.ip == ip }) {
			continue
		}
		n := &kinds[0]
		if ip.Is4() {
			n = &kinds[1]
		}
		if *n++; *n <= mostOfKind {
			addrs = append(addrs, address{ip: ip})
		}
	}
	return addrs
}

// carry notes for new addresses what is known of those that are among the old ones.
func carry(addrs, old []address) {
	for i := range addrs {
		if j := slices.IndexFunc(old, func(a address) bool { return a.ip == addrs[i].ip }); j >= 0 {
			addrs[i].last = old[j].last
		}
	}
}

// doubt has the next dial ask again: no address of a has connected.
func (d *Dialer) doubt(a *answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a.until = time.Time{}
}

// shun has others tried before ip for a while.
func (d *Dialer) shun(a *answer, ip netip.Addr) { d.mark(a, ip, time.Now().Add(shunFor)) }

// trust ends that.
func (d *Dialer) trust(a *answer, ip netip.Addr) { d.mark(a, ip, time.Time{}) }

func (d *Dialer) mark(a *answer, ip netip.Addr, last time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range a.addrs {
		if a.addrs[i].ip == ip {
			a.addrs[i].last = last
		}
	}
}
