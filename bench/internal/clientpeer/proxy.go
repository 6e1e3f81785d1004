package clientpeer

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/shockwave-go/shockwave/bench/internal/peer"
	"github.com/shockwave-go/shockwave/nethttp"
	"github.com/shockwave-go/shockwave/server"
)

// idleToBackend is how many idle connections a proxy keeps to its backend.
const idleToBackend = 256

// proxy runs a reverse proxy. It reports its address and returns when it fails.
func (p *process) proxy(plan *Plan) error {
	target, err := url.Parse(plan.URL)
	if err != nil {
		return err
	}
	if p.name == Nginx {
		return p.becomeNginx(target)
	}
	var rt http.RoundTripper
	var serve func(l net.Listener) error
	var l net.Listener
	switch p.name {
	case Transport:
		rt = &nethttp.Transport{DisableCompression: true, MaxIdleConnsPerHost: idleToBackend}
		serve = (&nethttp.Server{Handler: plan.passOn(target, rt), ErrorLog: quiet}).Serve
		l, err = server.Listen("127.0.0.1:0")
	case Std:
		rt = &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: idleToBackend}
		serve = (&http.Server{Handler: plan.passOn(target, rt), ErrorLog: quiet}).Serve
		l, err = net.Listen("tcp", "127.0.0.1:0")
	default:
		err = fmt.Errorf("%s is no proxy", p.name)
	}
	if err == nil {
		err = p.out.Encode(Reply{Addr: l.Addr().String()})
	}
	if err != nil {
		return err
	}
	return serve(l)
}

var quiet = log.New(io.Discard, "", 0)

// passOn returns the handler of both servers.
func (plan *Plan) passOn(target *url.URL, rt http.RoundTripper) http.Handler {
	p := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) { r.SetURL(target) }, Transport: rt, ErrorLog: quiet,
	}
	if plan.Pool {
		p.BufferPool = new(buffers)
	}
	return p
}

// buffers is a pool of buffers for copying bodies. Without one, ReverseProxy allocates a buffer for each response.
type buffers struct{ pool sync.Pool }

// Get implements httputil.BufferPool.
func (b *buffers) Get() []byte {
	if p, ok := b.pool.Get().(*[32 << 10]byte); ok {
		return p[:]
	}
	return new([32 << 10]byte)[:]
}

// Put implements httputil.BufferPool.
func (b *buffers) Put(p []byte) { b.pool.Put((*[32 << 10]byte)(p)) }

// becomeNginx replaces the process by nginx.
func (p *process) becomeNginx(target *url.URL) error {
	path, err := peer.FindNginx()
	if err != nil {
		return err
	}
	addr, err := peer.FreeAddr()
	if err != nil {
		return err
	}
	conf := filepath.Join(p.dir, "nginx.conf")
	if err := os.WriteFile(conf, []byte(configureNginx(p.dir, addr, target.Host)), 0o644); err != nil {
		return err
	}
	if err := peer.OpenMany(); err != nil {
		return err
	}
	if err := p.out.Encode(Reply{Addr: addr}); err != nil {
		return err
	}
	return syscall.Exec(path, []string{"nginx", "-p", p.dir, "-e", "stderr", "-c", conf}, os.Environ())
}

// configureNginx returns a configuration that forwards all requests over persistent connections.
func configureNginx(dir, addr, target string) string {
	conf := peer.ConfigureNginx(dir, addr)
	begin := strings.Index(conf, "\t\tlocation")
	end := strings.LastIndex(conf, "\t}\n}")
	conf = conf[:begin] + "\t\tlocation / { proxy_pass http://behind; proxy_http_version 1.1; proxy_set_header Connection \"\"; }\n" + conf[end:]
	upstream := fmt.Sprintf("\tupstream behind { server %s; keepalive %d; keepalive_requests 1000000000; }\n", target, idleToBackend)
	return strings.Replace(conf, "\tserver {", upstream+"\tserver {", 1)
}
