package client

import (
	"fmt"
	"net/url"
	"sync"

	"golang.org/x/net/http/httpproxy"

	"github.com/shockwave-go/shockwave/client/internal/redirect"
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

// setProxy sets the proxy of a connection key. login is the value of Proxy-Authorization for a request that the proxy forwards.
func (p *proxies) setProxy(k *httpclient.Key) (login string, err error) {
	if p.ask == nil {
		return "", nil
	}
	via, err := p.proxyFor(k.Secure, k.Host)
	if err != nil || via == nil {
		return "", err
	}
	k.Via = via.text
	if forwards(via, k) {
		k.Host = "" // the connection can carry requests to any host
		login = via.login
	}
	return login, nil
}

// forwards reports whether requests are sent to the proxy itself rather than through a tunnel.
func forwards(via *proxy, k *httpclient.Key) bool {
	return !k.Secure && via.Scheme != dial.SOCKS5 && k.Version != httpclient.HTTP2
}

// proxyFor returns the proxy for a host, nil for none.
func (p *proxies) proxyFor(secure bool, host string) (*proxy, error) {
	key, scheme := hostKey{secure, host}, "http"
	if secure {
		scheme = "https"
	}
	if p.stable {
		p.mu.RLock()
		via, ok := p.byHost[key]
		p.mu.RUnlock()
		if ok {
			return via, nil
		}
	}
	u, err := p.ask(&url.URL{Scheme: scheme, Host: host})
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
		return nil, redirect.WithoutURL(err)
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
	p, err := dial.ParseProxy(u.Scheme, u.Hostname(), u.Port(), u.User)
	if err != nil {
		return nil, fmt.Errorf("client: proxy: %w", err)
	}
	return &proxy{text: text, Proxy: *p, login: p.Login.Basic()}, nil
}
