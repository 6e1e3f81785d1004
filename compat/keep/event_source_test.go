package keep

import (
	"fmt"
	"net/http"
	"sync"
)

// eventSource is a handler of event streams. An event is sent when the test asks for it, so that each has been seen by
// the client before the next is made: one that waits in a buffer for its successor never comes.
type eventSource struct {
	mu      sync.Mutex
	streams map[string]*eventStream
}

// eventStream is the handler's end of one stream.
type eventStream struct {
	send chan string
	gone chan struct{} // closed when the handler has seen its client go
}

// stream returns the stream of a path. Both the handler and the test ask for it, in any order.
func (s *eventSource) stream(path string) *eventStream {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.streams[path]
	if e == nil {
		e = &eventStream{make(chan string), make(chan struct{})}
		s.streams[path] = e
	}
	return e
}

// ServeHTTP is an event stream as people write it.
func (s *eventSource) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e := s.stream(r.URL.Path)
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(http.StatusOK)
	w.(http.Flusher).Flush()
	for {
		select {
		case text := <-e.send:
			fmt.Fprintf(w, "data: %s\n\n", text)
			if err := http.NewResponseController(w).Flush(); err != nil {
				return
			}
		case <-r.Context().Done():
			close(e.gone)
			return
		}
	}
}
