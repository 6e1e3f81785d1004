package clientpeer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// Plan is what a client's process is told, in a line of JSON. It answers with a line, a Reply.
type Plan struct {
	Do    string `json:"do"`
	URL   string `json:"url"`  // of the server, without a path
	Task  string `json:"task"` // what is asked for
	HTTP2 bool   `json:"http2"`
	At    int    `json:"at"`   // goroutines, or connections
	Nap   int    `json:"nap"`  // milliseconds that an answer to Hold and Reuse takes: longer than asking for all
	Pool  bool   `json:"pool"` // of Proxy: it has a pool of buffers

	Warmup   time.Duration `json:"warmup"` // of Load, as Duration
	Duration time.Duration `json:"duration"`
}

// What a plan may say.
const (
	Load   = "load"   // ask for so long; what that costs is told
	Hold   = "hold"   // have so many connections, each used once
	Reuse  = "reuse"  // use each of them again
	Memory = "memory" // tell what the process uses, after it has given back what it can
	Proxy  = "proxy"  // be a server that passes requests on to URL; then the process is told no more
)

// Reply is what a plan has brought.
type Reply struct {
	Error   string `json:"error,omitempty"`
	Account Account
	peer.State
	Addr string `json:"addr"` // of the proxy
}

// Obey does what the lines in r say, as the peer called name, until they end.
func Obey(name, dir string, r io.Reader, w io.Writer) error {
	p := &process{name: name, dir: dir, out: json.NewEncoder(w)}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		var plan Plan
		if err := json.Unmarshal(lines.Bytes(), &plan); err != nil {
			return err
		}
		reply, err := p.obey(&plan)
		if err != nil {
			reply.Error = err.Error()
		}
		if err := p.out.Encode(reply); err != nil {
			return err
		}
	}
	return lines.Err()
}

// process is what there is of a client between two plans.
type process struct {
	name, dir string
	out       *json.Encoder
	kept      asker // whose connections are held
}

func (p *process) obey(plan *Plan) (r Reply, err error) {
	switch plan.Do {
	case Load:
		r.Account, err = p.load(plan)
	case Hold:
		err = p.hold(plan)
	case Reuse:
		err = p.reuse(plan)
	case Memory:
		crowd(plan.At)
		r.State, err = peer.Tell(true)
	case Proxy:
		err = p.proxy(plan)
	default:
		err = fmt.Errorf("there is no plan %q", plan.Do)
	}
	return r, err
}

// mostConns is how many connections clients may have: more than any scenario has goroutines.
const mostConns = 1024

func (p *process) load(plan *Plan) (a Account, err error) {
	c, err := newAsker(p.name, plan.HTTP2, mostConns)
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
	if err := c.worker(x)(); err != nil { // alone: a connection of HTTP/2 is there when the others ask
		return a, err
	}
	a, err = load(c, x, plan.At, plan.Warmup, plan.Duration)
	if n, _ := sockets(); err == nil && plan.HTTP2 && n > before+1 { // of earlier plans some may have been closed meanwhile
		err = fmt.Errorf("%d sockets are open, %d before: all were to share one connection", n, before)
	}
	return a, err
}

func (p *process) hold(plan *Plan) (err error) {
	if p.kept, err = newAsker(p.name, plan.HTTP2, plan.At+mostConns); err != nil {
		return err
	}
	return p.reuse(plan)
}

// reuse asks for what is answered late, so that each connection has one request, and looks whether they are that many.
func (p *process) reuse(plan *Plan) error {
	before, err := sockets()
	if err != nil {
		return err
	}
	if err = once(p.kept, newNap(plan.URL, plan.Nap), plan.At); err != nil {
		return err
	}
	n, err := sockets()
	if err == nil && n < plan.At || plan.Do == Reuse && n > before+before/100 {
		err = fmt.Errorf("%d sockets are open, %d before, for %d connections", n, before, plan.At)
	}
	return err
}
