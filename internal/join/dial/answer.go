package dial

import (
	"errors"
	"net"
	"net/netip"
	"slices"
	"time"
)

const (
	defaultKeep  = 30 * time.Second
	staleFor     = time.Hour        // how long an expired answer is used if there is no new one
	demoteFor    = 30 * time.Second // how long a failed address is tried after the others
	maxNames     = 256              // names whose answers are kept
	maxPerFamily = 32               // addresses of one family that are kept for a name
)

// answer is the resolver's answer for a name. The Dialer's mu guards it.
type answer struct {
	addrs      []address // in the order of the resolver
	dials      uint      // how many dials have used this answer
	resolvedAt time.Time // when the resolver returned addrs
	refreshAt  time.Time // when to ask the resolver again
}

// address is an address of a name.
type address struct {
	ip           netip.Addr
	demotedUntil time.Time // until then other addresses are tried first
}

// updateLocked stores the resolver's answer for host and returns the answer to use.
func (d *Dialer) updateLocked(host string, found []net.IPAddr, err error) (*answer, error) {
	now, addrs := time.Now(), addresses(found)
	if err == nil && len(addrs) == 0 {
		err = &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
	}
	a := d.answers[host]
	switch {
	case err == nil && a == nil:
		a = new(answer)
		d.storeLocked(host, a)
	case err == nil:
		copyDemotions(addrs, a.addrs)
	case a == nil:
		return nil, err
	case isGone(err) || now.Sub(a.resolvedAt) > d.keepFor()+staleFor:
		delete(d.answers, host)
		return nil, err
	default: // an old answer is better than none (RFC 8767 §4)
		a.refreshAt = now.Add(d.keepFor())
		return a, nil
	}
	a.addrs, a.resolvedAt, a.refreshAt = addrs, now, now.Add(d.keepFor())
	return a, nil
}

// keepFor returns Keep, or its default.
func (d *Dialer) keepFor() time.Duration {
	if d.Keep == 0 {
		return defaultKeep
	}
	return d.Keep
}

// storeLocked stores the answer for a name. If there are too many answers it removes the oldest one.
func (d *Dialer) storeLocked(host string, a *answer) {
	if d.Keep < 0 {
		return
	}
	if d.answers == nil {
		d.answers = map[string]*answer{}
	}
	if len(d.answers) >= maxNames {
		var oldest string
		for name, b := range d.answers {
			if oldest == "" || b.resolvedAt.Before(d.answers[oldest].resolvedAt) {
				oldest = name
			}
		}
		delete(d.answers, oldest)
	}
	d.answers[host] = a
}

// isGone reports whether err says that the name does not exist, or has no address.
func isGone(err error) bool {
	dns, ok := errors.AsType[*net.DNSError](err)
	return ok && dns.IsNotFound
}

// addresses returns the addresses that the resolver found, without duplicates and at most maxPerFamily of each family.
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
		if *n++; *n <= maxPerFamily {
			addrs = append(addrs, address{ip: ip})
		}
	}
	return addrs
}

// copyDemotions copies demotedUntil from old to the same addresses in addrs.
func copyDemotions(addrs, old []address) {
	for i := range addrs {
		if j := slices.IndexFunc(old, func(a address) bool { return a.ip == addrs[i].ip }); j >= 0 {
			addrs[i].demotedUntil = old[j].demotedUntil
		}
	}
}

// expire makes the next dial ask the resolver again, because no address of a could be connected to.
func (d *Dialer) expire(a *answer) {
	d.mu.Lock()
	defer d.mu.Unlock()
	a.refreshAt = time.Time{}
}

// demote makes dials try ip after the other addresses for a while.
func (d *Dialer) demote(a *answer, ip netip.Addr) { d.setDemoted(a, ip, time.Now().Add(demoteFor)) }

// promote undoes demote.
func (d *Dialer) promote(a *answer, ip netip.Addr) { d.setDemoted(a, ip, time.Time{}) }

func (d *Dialer) setDemoted(a *answer, ip netip.Addr, until time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range a.addrs {
		if a.addrs[i].ip == ip {
			a.addrs[i].demotedUntil = until
		}
	}
}
