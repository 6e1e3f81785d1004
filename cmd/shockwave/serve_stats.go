package main

import (
	"encoding/json"
	"runtime/metrics"
	"time"

	"github.com/shockwave-go/shockwave/server"
)

// sampleEvery is how often the page is told the counters.
const sampleEvery = 500 * time.Millisecond

// sample is what the page's counters show, at one moment.
type sample struct {
	Millis      int64  `json:"ms"` // since the program began to serve
	Requests    int64  `json:"requests"`
	HTTP2       int64  `json:"http2"`   // requests over HTTP/2
	Refused     int64  `json:"refused"` // malformed requests that the server answered itself
	Connections int64  `json:"connections"`
	Open        int64  `json:"open"`
	Active      int64  `json:"active"`
	Parked      int64  `json:"parked"`
	BytesIn     int64  `json:"bytesIn"`
	BytesOut    int64  `json:"bytesOut"`
	CPUMicros   int64  `json:"cpuMicros"` // of the whole process
	Goroutines  int64  `json:"goroutines"`
	StatusText  string `json:"statuses"`
	Heap        int64  `json:"heap"` // bytes in live and not yet swept objects
}

// CPUSeconds is the CPU time for the page's template.
func (s sample) CPUSeconds() float64 { return float64(s.CPUMicros) / 1e6 }

// sampler takes samples of one server and of the process.
type sampler struct {
	stats    func() server.Stats
	statuses *statuses
	http2    *spread // requests
	start    time.Time
}

// take may be called from any goroutine.
func (s *sampler) take() sample {
	runtime := []metrics.Sample{
		{Name: "/sched/goroutines:goroutines"},
		{Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(runtime)
	st := s.stats()
	user, system := cpuTime()
	return sample{
		Millis:      time.Since(s.start).Milliseconds(),
		Requests:    st.Requests,
		HTTP2:       s.http2.sum(),
		Refused:     st.BadRequests,
		Connections: st.Connections,
		Open:        st.OpenConnections,
		Active:      st.ActiveConnections,
		Parked:      st.ParkedConnections,
		BytesIn:     st.BytesIn,
		BytesOut:    st.BytesOut,
		CPUMicros:   (user + system).Microseconds(),
		StatusText:  s.statuses.String(),
		Goroutines:  int64(runtime[0].Value.Uint64()),
		Heap:        int64(runtime[1].Value.Uint64()),
	}
}

// stream sends a sample every sampleEvery as server-sent events, until the client leaves, which the next Flush or the
// one behind it notices, or the server stops.
func (p *page) stream(w *server.ResponseWriter, r *server.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h.Set("Cache-Control", "no-store")
	tick := time.NewTicker(sampleEvery)
	defer tick.Stop()
	for string(r.Method()) != "HEAD" {
		event, err := json.Marshal(p.sampler.take())
		if err != nil {
			return
		}
		w.WriteString("data: ")
		w.Write(event)
		w.WriteString("\n\n")
		if w.Flush() != nil {
			return
		}
		select {
		case <-tick.C:
		case <-p.stopping:
			return
		}
	}
}
