package streamsock_test

import (
	"testing"
	"time"

	"github.com/shockwave-go/shockwave/internal/testsupport/wiretest"
	"github.com/shockwave-go/shockwave/streamsock"
)

// The counters of a socket include those of peers that are gone.
func TestStatsOfASocket(t *testing.T) {
	t.Parallel()
	s := newSocket(t, streamsock.Config{QueueMessages: 2, Slow: streamsock.FailWhenSlow})
	addr := bind(t, s, "tcp://127.0.0.1:0")
	before := time.Now().Add(-time.Second) // the socket's clock is coarse
	first, second := newSocket(t, streamsock.Config{}), newSocket(t, streamsock.Config{})
	for i, c := range []*streamsock.Socket{first, second} {
		p, err := c.Connect(addr)
		if err != nil {
			t.Fatal(err)
		}
		wants(t, c, "connected 1")
		p.Send([]byte("hello"))
		wants(t, s, []string{"connected 1", "connected 2"}[i], []string{"1 hello", "2 hello"}[i])
		s.Send(streamsock.ID(i+1), []byte("you"))
		wants(t, c, "1 you")
		if since := p.Stats().Since; since.Before(before) || since.After(time.Now()) {
			t.Errorf("since %v", since)
		}
	}
	want := streamsock.Stats{Peers: 2, Accepted: 2, Received: 2, ReceivedBytes: 10, Sent: 2, SentBytes: 6}
	if got := s.Stats(); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
	if got := second.Stats(); got.Dialled != 1 || got.Peers != 1 || got.Sent != 1 || got.SentBytes != 5 || got.Received != 1 || got.ReceivedBytes != 3 {
		t.Errorf("who has dialled: got %+v", got)
	}
	_ = first.Shutdown(t.Context())
	gone := wants(t, s, "disconnected 1 eof")
	wiretest.Eventually(t, "it to be gone", func() bool { return s.Stats().Peers == 1 })
	want.Peers = 1
	if got := s.Stats(); got != want {
		t.Errorf("one has left: %+v, want %+v", got, want)
	}
	if !gone.Stats().Since.IsZero() {
		t.Errorf("who is gone is there since %v", gone.Stats().Since)
	}
}

// Messages for a peer without a connection count as queued, and as dropped when the peer is gone.
func TestStatsOfWhatWaits(t *testing.T) {
	s := newSocket(t, streamsock.Config{RedialFirst: time.Hour, RedialLongest: time.Hour, QueueMessages: 2, Slow: streamsock.FailWhenSlow, Linger: -1})
	p, err := s.Connect("tcp://127.0.0.1:1")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"a", "bcd", "none"} {
		p.Send([]byte(text))
	}
	if got := s.Stats(); got.Queued != 2 || got.QueuedBytes != 4 || got.Dropped != 1 || !p.Stats().Since.IsZero() {
		t.Errorf("got %+v; want Queued 2, QueuedBytes 4, Dropped 1", got)
	}
	s.Disconnect(p.ID(), 0, "")
	<-p.Done()
	if got := s.Stats(); got.Peers != 0 || got.Queued != 0 || got.QueuedBytes != 0 || got.Dropped != 3 || got.Sent != 0 {
		t.Errorf("got %+v; want Peers 0, Queued 0, QueuedBytes 0, Dropped 3, Sent 0", got)
	}
}
