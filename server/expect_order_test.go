package server

import (
	"net/http"
	"testing"
	"time"

	"github.com/shockwave-go/shockwave"
	"github.com/shockwave-go/shockwave/http1"
)

// slowSink takes as long to send an informational response as the test wants.
type slowSink struct {
	sink
	sending, sent chan struct{}
}

func (s *slowSink) inform(int, *shockwave.Header) error {
	close(s.sending)
	<-s.sent
	return nil
}

// If one goroutine reads while another begins the response in full duplex, a 100 is sent before the final response or not
// at all: after the final head it would be read as part of the body.
func TestContinueIsSentBeforeTheFinalResponseOrNotAtAll(t *testing.T) {
	s := &slowSink{sending: make(chan struct{}), sent: make(chan struct{})}
	x := exchange{sink: s}
	r := &x.req
	r.x = &x
	r.body.Reset(-1)
	r.body.Start(http1.Framing{Delimiter: http1.ByLength, Length: 3}, http1.Limits{})
	r.body.initExpect(true)
	read, begun := make(chan struct{}), make(chan struct{})
	go func() {
		r.sendContinue()
		close(read)
	}()
	<-s.sending
	go func() {
		r.body.withdrawContinue()
		close(begun)
	}()
	select {
	case <-begun:
		t.Errorf("the final response begins while %d is being sent", http.StatusContinue)
	case <-time.After(20 * time.Millisecond):
	}
	close(s.sent)
	<-read
	<-begun
	if e := r.body.expect.Load(); e != continued {
		t.Errorf("the expectation is in state %d, want %d", e, continued)
	}
}
