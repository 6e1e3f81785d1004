package clientpeer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// Plan is a command for a client's process, a line of JSON. The process responds with a Reply, also a line.
type Plan struct {
	Do    string `json:"do"`
	URL   string `json:"url"`  // of the server, without a path
	Task  string `json:"task"` // the kind of requests
	HTTP2 bool   `json:"http2"`
	At    int    `json:"at"`   // goroutines, or connections
	Nap   int    `json:"nap"`  // for Hold and Reuse: the delay of the responses in milliseconds, so that all requests are sent before
	Pool  bool   `json:"pool"` // for Proxy: use a pool of buffers

	Warmup   time.Duration `json:"warmup"` // for Load, like Duration
	Duration time.Duration `json:"duration"`
}

// The commands of a plan.
const (
	Load   = "load"   // send requests for Warmup and Duration and report the Account
	Hold   = "hold"   // open At connections, each with one request
	Reuse  = "reuse"  // send another request on each of them
	Memory = "memory" // return unused memory to the system and report the State
	Proxy  = "proxy"  // become a reverse proxy for URL and report Addr; the process reads no further plans
)

// Reply is the result of a plan.
type Reply struct {
	Error   string `json:"error,omitempty"`
	Account Account
	peer.State
	Addr string `json:"addr"` // the proxy's address
}

// Obey executes the plans in r as the peer called name, until r ends. nginx has its files in dir.
func Obey(name, dir string, r io.Reader, w io.Writer) error {
	p := &process{name: name, dir: dir, out: json.NewEncoder(w)}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var plan Plan
		if err := json.Unmarshal(lines.Bytes(), &plan); err != nil {
			return err
		}
		reply, err := p.execute(&plan)
		if err != nil {
			reply.Error = err.Error()
		}
		if err := p.out.Encode(reply); err != nil {
			return err
		}
	}
	return lines.Err()
}

// process is the state of a client's process between two plans.
type process struct {
	name, dir string
	out       *json.Encoder
	kept      measuredClient // the client whose connections are kept open
}

func (p *process) execute(plan *Plan) (r Reply, err error) {
	switch plan.Do {
	case Load:
		r.Account, err = p.load(plan)
	case Hold:
		err = p.hold(plan)
	case Reuse:
		err = p.reuse(plan)
	case Memory:
		growGoroutinePool(plan.At)
		r.State, err = peer.Tell(true)
	case Proxy:
		err = p.proxy(plan)
	default:
		err = fmt.Errorf("there is no plan %q", plan.Do)
	}
	return r, err
}

// mostConns is the limit of a client's connections. It is larger than the number of goroutines in any scenario.
const mostConns = 1024

func (p *process) load(plan *Plan) (a Account, err error) {
	c, err := newMeasuredClient(p.name, plan.HTTP2, mostConns)
	if err != nil {
		return a, err
	}
	x, err := newExchange(plan.URL, plan.Task)
	if err != nil {
		return a, err
	}
	before, err := sockets()
	if err != nil {
		return a, err
	}
	if err := c.worker(x)(); err != nil { // so that the goroutines find an open HTTP/2 connection
		return a, err
	}
	a, err = load(c, x, plan.At, plan.Warmup, plan.Duration)
	if n, _ := sockets(); err == nil && plan.HTTP2 && n > before+1 { // sockets of earlier plans may have been closed meanwhile
		err = fmt.Errorf("%d sockets are open, %d before: all were to share one connection", n, before)
	}
	return a, err
}

func (p *process) hold(plan *Plan) (err error) {
	if p.kept, err = newMeasuredClient(p.name, plan.HTTP2, plan.At+mostConns); err != nil {
		return err
	}
	return p.reuse(plan)
}

// reuse sends plan.At requests whose responses are delayed, so that each needs a connection of its own. It checks the number of
// open sockets.
func (p *process) reuse(plan *Plan) error {
	before, err := sockets()
	if err != nil {
		return err
	}
	if err = once(p.kept, newDelayed(plan.URL, plan.Nap), plan.At); err != nil {
		return err
	}
	n, err := sockets()
	if err == nil && n < plan.At || plan.Do == Reuse && n > before+before/100 {
		err = fmt.Errorf("%d sockets are open, %d before, for %d connections", n, before, plan.At)
	}
	return err
}
