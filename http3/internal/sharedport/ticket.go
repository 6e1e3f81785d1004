package sharedport

import (
	"crypto/tls"
	"strconv"
	"sync"
	"time"
)

// Tickets makes the session tickets of TLS with keys that all processes share. They change every day (UTC), so that a stolen key
// decrypts the early data of one day's connections, and not that of a year's.
type Tickets struct {
	keys *keyring
	now  func() time.Time

	mu  sync.Mutex
	day int64       // that cfg has the keys of
	cfg *tls.Config // encrypts and decrypts
}

// ticketDays is how long crypto/tls accepts a ticket: the longest time that TLS allows (RFC 8446 §4.6.1).
const ticketDays = 7

// UseForAll makes cfg, and the configurations that it chooses for clients, use such tickets.
func (t *Tickets) UseForAll(cfg *tls.Config) {
	t.use(cfg)
	if choose := cfg.GetConfigForClient; choose != nil {
		cfg.GetConfigForClient = func(hello *tls.ClientHelloInfo) (*tls.Config, error) {
			own, err := choose(hello)
			if own != nil {
				own = own.Clone()
				t.use(own)
			}
			return own, err
		}
	}
}

// use makes cfg use such tickets, unless the program makes its own.
func (t *Tickets) use(cfg *tls.Config) {
	if cfg.WrapSession != nil || cfg.UnwrapSession != nil {
		return
	}
	cfg.WrapSession = func(cs tls.ConnectionState, ss *tls.SessionState) ([]byte, error) {
		c, err := t.today()
		if err != nil {
			return nil, err
		}
		return c.EncryptTicket(cs, ss)
	}
	cfg.UnwrapSession = func(ticket []byte, cs tls.ConnectionState) (*tls.SessionState, error) {
		c, err := t.today()
		if err != nil {
			return nil, err
		}
		return c.DecryptTicket(ticket, cs)
	}
}

// today returns a configuration that encrypts with today's key, and decrypts with the keys of tickets that are still valid,
// including those of a process where the next day has begun.
func (t *Tickets) today() (*tls.Config, error) {
	const secondsPerDay = 24 * 60 * 60
	day := t.now().Unix() / secondsPerDay
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.cfg != nil && t.day == day {
		return t.cfg, nil
	}
	days := []int64{day, day + 1}
	for d := range int64(ticketDays) {
		days = append(days, day-1-d)
	}
	var keys [][32]byte
	for _, d := range days {
		key, err := t.keys.derive("session tickets "+strconv.FormatInt(d, 10), 32)
		if err != nil {
			return nil, err
		}
		keys = append(keys, [32]byte(key))
	}
	t.day, t.cfg = day, new(tls.Config)
	t.cfg.SetSessionTicketKeys(keys)
	return t.cfg, nil
}
