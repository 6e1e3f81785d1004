package drive

import (
	"time"

	"github.com/shockwave-go/shockwave/cmd/shockwave/internal/load/account"
)

// Plan says how much load a run generates, and for how long. There are no defaults.
type Plan struct {
	Host     string        // of the server, for errors
	URLs     int           // that are requested; results are kept for each if there are several
	Conns    int           // connections
	Rate     float64       // requests per second over all connections, evenly spaced; 0: as many as possible
	Warmup   time.Duration // load without counting, after all connections are open
	Duration time.Duration // counted time
	Requests int64         // end early after this many requests were answered or failed; 0: no limit
	Timeout  time.Duration // for connecting, and for each response
	Same     bool          // responses must be like the first one from their URL in status and length
	Streams  bool          // requests are streams: Result.Streams has what was learned of them
	OneWay   bool          // requests have no responses: when the time is over, connections end and are waited for

	Began, Ended func()               // called when counting begins and ends; may be nil
	Started      func()               // called when the first requests may be sent; may be nil
	Progress     func(account.Second) // called after each second, one call at a time; may be nil
}

func call(f func()) {
	if f != nil {
		f()
	}
}
