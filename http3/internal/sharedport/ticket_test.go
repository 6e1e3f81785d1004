package sharedport

import (
	"crypto/tls"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// A ticket is valid for seven days, also at processes whose clocks differ by hours, and not with another key.
func TestTicketKeys(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	const day = 24 * time.Hour
	giver := &Tickets{keys: testKeys(t, 1), now: func() time.Time { return noon }}
	cfg := new(tls.Config)
	giver.UseForAll(cfg)
	ticket := ticketOf(t, cfg)
	now := noon
	taker := &Tickets{keys: testKeys(t, 1), now: func() time.Time { return now }}
	stranger := &Tickets{keys: testKeys(t, 2), now: func() time.Time { return now }}
	for _, tc := range []struct {
		later time.Duration
		good  bool
	}{{0, true}, {-13 * time.Hour, true}, {13 * time.Hour, true}, {7 * day, true}, {9 * day, false}, {0, true}, {-3 * day, false}} {
		now = noon.Add(tc.later)
		for _, s := range []*Tickets{taker, stranger} {
			at, err := s.today()
			if err != nil {
				t.Fatal(err)
			}
			state, err := at.DecryptTicket(ticket, tls.ConnectionState{})
			if got, want := state != nil, tc.good && s == taker; got != want || err != nil {
				t.Errorf("%v later, with the key %v: got %v, %v; want %v", tc.later, s == taker, got, err, want)
			}
		}
	}
}

// ticketOf returns a ticket from a server with cfg.
func ticketOf(t *testing.T, cfg *tls.Config) (ticket []byte) {
	t.Helper()
	wrap := cfg.WrapSession
	cfg.WrapSession = func(cs tls.ConnectionState, ss *tls.SessionState) (b []byte, err error) {
		ticket, err = wrap(cs, ss)
		return ticket, err
	}
	s := httptest.NewUnstartedServer(nil)
	s.TLS = cfg
	s.StartTLS()
	c := s.Client()
	c.Transport.(*http.Transport).TLSClientConfig.ClientSessionCache = tls.NewLRUClientSessionCache(1)
	resp, err := c.Get(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	s.Close()
	if ticket == nil {
		t.Fatal("there is no ticket")
	}
	return ticket
}

// Ticket keys that a program sets itself are left alone.
func TestOwnTickets(t *testing.T) {
	called := false
	cfg := &tls.Config{WrapSession: func(tls.ConnectionState, *tls.SessionState) ([]byte, error) {
		called = true
		return nil, nil
	}}
	chosen := &tls.Config{}
	cfg.GetConfigForClient = func(*tls.ClientHelloInfo) (*tls.Config, error) { return chosen, nil }
	(&Tickets{keys: testKeys(t, 1), now: time.Now}).UseForAll(cfg)
	if cfg.WrapSession(tls.ConnectionState{}, nil); !called || cfg.UnwrapSession != nil {
		t.Error("it was replaced")
	}
	if own, _ := cfg.GetConfigForClient(nil); own.WrapSession == nil || chosen.WrapSession != nil {
		t.Error("what is chosen for a client has no tickets of ours, or was changed")
	}
}
