package client

import (
	"fmt"
	"net/url"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"github.com/shockwave-go/shockwave/internal/dial"
	"github.com/shockwave-go/shockwave/internal/httpclient"
)

// proxies says which proxy a request goes through.
type proxies struct {
	ask    func(target *url.URL) (*url.URL, error) // nil: none
	stable bool                                    // what ask says of a host does not change

	mu     sync.RWMutex
	byHost map[hostKey]*proxy // what ask has said, if it is stable; nil is none
	byText map[string]*proxy
}

type hostKey struct {
	secure bool
	host   string
}

// proxy is one that was asked for before.
type proxy struct {
	text string
	dial.Proxy
	login string // Proxy-Authorization; "" is none
}

func (p *proxies) init(cfg *Config) {
	p.byHost, p.byText = map[hostKey]*proxy{}, map[string]*proxy{}
	switch {
	case cfg.DisableProxy:
	case cfg.Proxy != nil:
		p.ask = cfg.Proxy
	default:
		if env := httpproxy.FromEnvironment(); env.HTTPProxy != "" || env.HTTPSProxy != "" {
			p.ask, p.stable = env.ProxyFunc(), true
		}
	}
}

// choose sets the way of a request that goes through a proxy.
func (p *proxies) choose(r *Response) error {
	if p.ask == nil {
		return nil
	}
	via, err := p.of(&r.head.to)
	if err != nil || via == nil {
		return err
	}
	k := &r.call.Key
	k.Via = via.text
	if forwards(via, k) {
		k.Host = "" // any host's requests can go over such a connection
		r.head.proxy = via.login
	}
	return nil
}

// forwards reports whether requests are sent to the proxy itself, and not through a tunnel.
func forwards(via *proxy, k *httpclient.Key) bool {
	return !k.Secure && via.Scheme != dial.SOCKS5 && k.Version != httpclient.HTTP2
}

// of returns the proxy for a target, nil for none.
func (p *proxies) of(t *target) (*proxy, error) {
	key := hostKey{t.secure, t.key}
	if p.stable {
		p.mu.RLock()
		via, ok := p.byHost[key]
		p.mu.RUnlock()
		if ok {
			return via, nil
		}
	}
	u, err := p.ask(&url.URL{Scheme: t.scheme(), Host: t.key})
	if err != nil {
		return nil, err
	}
	via, err := p.known(u)
	if err == nil && p.stable {
		p.mu.Lock()
		if len(p.byHost) >= mostHosts {
			clear(p.byHost)
		}
		p.byHost[key] = via
		p.mu.Unlock()
	}
	return via, err
}

// mostHosts is of how many hosts it is kept which proxy they have, and how many proxies are.
const mostHosts = 1 << 10

// known returns the proxy with a URL.
func (p *proxies) known(u *url.URL) (*proxy, error) {
	if u == nil {
		return nil, nil
	}
	text := u.String()
	if via := p.find(text); via != nil {
		return via, nil
	}
	via, err := newProxy(u, text)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if len(p.byText) >= mostHosts {
		clear(p.byText)
	}
	p.byText[text] = via
	p.mu.Unlock()
	return via, nil
}

// again returns the proxy with a URL that was chosen before, also if it has been forgotten since.
func (p *proxies) again(text string) (*proxy, error) {
	if via := p.find(text); via != nil {
		return via, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, withoutText(err)
	}
	return newProxy(u, text)
}

// find returns the proxy with a URL that was chosen before.
func (p *proxies) find(text string) *proxy {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byText[text]
}

// newProxy reads a proxy's URL.
func newProxy(u *url.URL, text string) (*proxy, error) {
	p := &proxy{text: text}
	port := "80"
	switch u.Scheme {
	case "http":
	case "https":
		p.Scheme, port = dial.HTTPS, "443"
	case "socks5", "socks5h":
		p.Scheme, port = dial.SOCKS5, "1080"
	default:
		return nil, fmt.Errorf("client: a proxy with the scheme %q", u.Scheme)
	}
	if u.Port() != "" {
		port = u.Port()
	}
	host, err := dial.ASCII(u.Hostname())
	if err != nil {
		return nil, fmt.Errorf("client: a proxy's host: %w", err)
	}
	p.Host, p.Port = host, port
	if user := u.User; user != nil {
		password, _ := user.Password()
		p.Login = &dial.Login{User: user.Username(), Password: password}
		p.login = dial.Basic(user.Username(), password)
	}
	return p, nil
}
