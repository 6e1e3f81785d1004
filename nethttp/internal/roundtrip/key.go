package roundtrip

import (
	"net/http"
	"strings"

	"github.com/shockwave-go/shockwave/internal/join/httpclient"
)

// key returns the key of the connections that a request can use.
func (t *connector) key(req *http.Request, proxy Proxy) (key httpclient.Key, err error) {
	u := req.URL
	key = httpclient.Key{Secure: u.Scheme == "https", Host: lowerHost(u.Host), Version: t.version(req)}
	if host, ok := strings.CutSuffix(key.Host, defaultPort(key.Secure)); ok && strings.HasSuffix(host, ":") {
		key.Host = host[:len(host)-1]
	}
	if proxy == nil {
		return key, nil
	}
	via, err := proxy(req)
	if err != nil || via == nil {
		return key, err
	}
	key.Via = via.String()
	if !key.Secure && key.Version == httpclient.HTTP1 && (via.Scheme == "http" || via.Scheme == "https") {
		key.Host = "" // the proxy forwards to any host
	}
	return key, nil
}
