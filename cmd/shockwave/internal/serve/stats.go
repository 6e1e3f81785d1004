package serve

import (
	"runtime/metrics"
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/process"
	"github.com/shockwave-go/shockwave/server"
)

// sampleEvery is the interval at which the page receives samples.
const sampleEvery = 500 * time.Millisecond

// sample is the state of the page's counters at one moment.
type sample struct {
	Millis      int64  `json:"ms"` // since the start of the program
	Requests    int64  `json:"requests"`
	HTTP2       int64  `json:"http2"`   // requests over HTTP/2
	HTTP3       int64  `json:"http3"`   // requests over HTTP/3
	Refused     int64  `json:"refused"` // malformed requests, which the server answered itself
	Connections int64  `json:"connections"`
	Open        int64  `json:"open"`
	Active      int64  `json:"active"`
	Parked      int64  `json:"parked"`
	BytesIn     int64  `json:"bytesIn"`
	BytesOut    int64  `json:"bytesOut"`
	CPUMicros   int64  `json:"cpuMicros"` // of the whole process
	Goroutines  int64  `json:"goroutines"`
	StatusText  string `json:"statuses"`
	Heap        int64  `json:"heap"` // bytes in live objects and objects not swept yet
}

// CPUSeconds returns the CPU time for the page's template.
func (s sample) CPUSeconds() float64 { return float64(s.CPUMicros) / 1e6 }

// sampler takes samples of one server and of the process.
type sampler struct {
	stats    func() server.Stats
	statuses *statuses
	http2    *shardedCounter // requests over HTTP/2
	http3    *shardedCounter // requests over HTTP/3
	start    time.Time
}

// take takes a sample. It is safe for concurrent use.
func (s *sampler) take() sample {
	runtime := []metrics.Sample{
		{Name: "/sched/goroutines:goroutines"},
		{Name: "/memory/classes/heap/objects:bytes"},
	}
	metrics.Read(runtime)
	st := s.stats()
	user, system := process.CPUTime()
	return sample{
		Millis:      time.Since(s.start).Milliseconds(),
		Requests:    st.Requests,
		HTTP2:       s.http2.sum(),
		HTTP3:       s.http3.sum(),
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
