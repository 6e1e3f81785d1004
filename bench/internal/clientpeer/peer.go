// Package clientpeer has the HTTP clients that are measured, ours and others, and the reverse proxies. Each runs in a process
// of its own, which reads plans from its standard input and responds with the cost of its requests. The server of all of them
// is package peer's native one.
//
// Each has its default settings, except for the number of idle connections and how long they are kept: the defaults of some
// would close connections during a measurement.
package clientpeer

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
)

// The peers' names. Those that are also in package peer are clients here, or reverse proxies.
const (
	Client    = "client"    // client.Client
	Transport = "transport" // nethttp.Transport below http.Client
	Std       = peer.Std    // http.Transport below http.Client
	FastHTTP  = peer.FastHTTP
	Resty     = "resty" // on net/http
	Nginx     = peer.Nginx
)

// All are the peers in the order of the reports.
var All = []string{Client, Transport, Std, FastHTTP, Resty, Nginx}

// Ours are the peers that are part of this module.
var Ours = []string{Client, Transport}

// Modules are the names of the other peers by module path.
var Modules = map[string]string{
	"github.com/valyala/fasthttp":  FastHTTP,
	"github.com/go-resty/resty/v2": Resty,
}

// Known reports whether there is a peer of that name.
func Known(name string) bool { return slices.Contains(All, name) }

// measuredClient is a client. worker returns a function that sends a request and checks the response. Each goroutine needs a
// function of its own.
type measuredClient interface {
	worker(x *exchange) func() error
}

// makers are the constructors of the clients. most is how many connections they may keep.
var makers = map[string]func(http2 bool, most int) measuredClient{
	Client:    newClient,
	Transport: newTransport,
	Std:       newStd,
	FastHTTP:  newFastHTTP,
	Resty:     newResty,
}

func newMeasuredClient(name string, http2 bool, most int) (measuredClient, error) {
	make := makers[name]
	if make == nil {
		return nil, fmt.Errorf("no client is called %q; there are %s", name, strings.Join(All, ", "))
	}
	return make(http2, most), nil
}
