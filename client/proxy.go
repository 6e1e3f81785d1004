package client

import (
	"fmt"
	"net/url"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"github.com/shockwave-go/shockwave/internal/join/dial"
	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// proxies finds the proxy for a request.
type proxies struct {
	ask    func(target *url.URL) (*url.URL, error) // nil if no proxy is used
	stable bool                                    // ask always returns the same for a host

	mu     sync.RWMutex
	byHost map[hostKey]*proxy // results of ask, if stable; nil means no proxy
	byText map[string]*proxy
}

type hostKey struct {
	secure bool
	host   string
}

// proxy is a parsed proxy URL.
type proxy struct {
	text string
	dial.Proxy
	login string // value of Proxy-Authorization; empty if there is none
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

// setProxy sets the connection key and the head of a request that goes through a proxy.
func (p *proxies) setProxy(r *Response) error {
	if p.ask == nil {
		return nil
	}
	via, err := p.proxyFor(&r.head.to)
	if err != nil || via == nil {
		return err
	}
	k := &r.call.Key
	k.Via = via.text
	if forwards(via, k) {
		k.Host = "" // the connection can carry requests to any host
		r.head.proxy = via.login
	}
	return nil
}

// forwards reports whether requests are sent to the proxy itself rather than through a tunnel.
func forwards(via *proxy, k *httpclient.Key) bool {
	return !k.Secure && via.Scheme != dial.SOCKS5 && k.Version != httpclient.HTTP2
}

// proxyFor returns the proxy for a target, nil for none.
func (p *proxies) proxyFor(t *target) (*proxy, error) {
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
	via, err := p.intern(u)
	if err == nil && p.stable {
		p.mu.Lock()
		if len(p.byHost) >= maxHosts {
			clear(p.byHost)
		}
		p.byHost[key] = via
		p.mu.Unlock()
	}
	return via, err
}

// maxHosts is how many hosts, and how many proxies, are cached.
const maxHosts = 1 << 10

// intern returns the proxy with the given URL, from the cache or as a new one.
func (p *proxies) intern(u *url.URL) (*proxy, error) {
	if u == nil {
		return nil, nil
	}
	text := u.String()
	if via := p.cached(text); via != nil {
		return via, nil
	}
	via, err := newProxy(u, text)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	if len(p.byText) >= maxHosts {
		clear(p.byText)
	}
	p.byText[text] = via
	p.mu.Unlock()
	return via, nil
}

// get returns the proxy whose URL is text, which setProxy has chosen before, even if it has been dropped from the cache.
func (p *proxies) get(text string) (*proxy, error) {
	if via := p.cached(text); via != nil {
		return via, nil
	}
	u, err := url.Parse(text)
	if err != nil {
		return nil, withoutURL(err)
	}
	return newProxy(u, text)
}

// cached returns the proxy whose URL is text, nil if it is not in the cache.
func (p *proxies) cached(text string) *proxy {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.byText[text]
}

// newProxy parses a proxy's URL.
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
