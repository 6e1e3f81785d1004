package altsvc

import (
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Cache knows where origins speak one protocol. All methods may be called concurrently.
type Cache struct {
	protocol string
	now      func() time.Time

	mu      sync.Mutex
	origins map[string]*origin // by host:port
	swept   time.Time          // when what had expired was forgotten last
}

// origin is what is known of one.
type origin struct {
	addr   string    // host:port of the alternative
	until  time.Time // when it is forgotten
	failed int       // how often in a row it could not be used
	rests  time.Time // until when it is left alone
}

// NewCache returns an empty Cache of alternatives that speak a protocol. now is the clock.
func NewCache(protocol string, now func() time.Time) *Cache {
	return &Cache{protocol: protocol, now: now, origins: map[string]*origin{}}
}

// maxOrigins bounds a Cache. Beyond it, an origin is forgotten for each that is learnt.
const maxOrigins = 4096

// An alternative that has failed is left alone for firstRest, and twice as long each further time.
const (
	firstRest = time.Minute
	longRest  = 24 * time.Hour
)

// Learn takes the value of an Alt-Svc field that the origin at host:port has sent over TLS. A malformed one changes nothing.
func (c *Cache) Learn(origin, value string) {
	host, _, err := net.SplitHostPort(origin)
	if err != nil {
		return
	}
	alts, clear, err := Parse(value)
	if err != nil {
		return
	}
	for _, a := range alts {
		if a.Protocol != c.protocol {
			continue
		}
		at := host
		if a.Host != "" {
			at = strings.Trim(a.Host, "[]")
		}
		c.Add(origin, net.JoinHostPort(at, strconv.Itoa(int(a.Port))), a.MaxAge)
		return
	}
	if clear || len(alts) > 0 { // a new list replaces the one before (RFC 7838 §3.1)
		c.Forget(origin)
	}
}

// Add notes that the origin at host:port can be reached at addr for some time; an empty addr is nowhere.
func (c *Cache) Add(at, addr string, age time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	now := c.now()
	o := c.origins[at]
	if o == nil {
		c.makeRoom(now)
		o = &origin{}
		c.origins[at] = o
	}
	if o.addr != addr {
		*o = origin{addr: addr}
	}
	o.until = now.Add(age)
}

// makeRoom forgets what has expired if the Cache is full, or else any origin. The caller must hold the lock.
func (c *Cache) makeRoom(now time.Time) {
	if len(c.origins) < maxOrigins {
		return
	}
	if now.Sub(c.swept) >= time.Minute {
		c.swept = now
		maps.DeleteFunc(c.origins, func(_ string, o *origin) bool { return !now.Before(o.until) })
	}
	for at := range c.origins {
		if len(c.origins) < maxOrigins {
			return
		}
		delete(c.origins, at)
	}
}

// Forget drops what is known of an origin.
func (c *Cache) Forget(at string) {
	c.mu.Lock()
	delete(c.origins, at)
	c.mu.Unlock()
}

// Find returns where an origin can be reached. known is false if that is not known; addr is empty if it is nowhere, or if the
// alternative has failed and is left alone.
func (c *Cache) Find(at string) (addr string, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.origins[at]
	if o == nil {
		return "", false
	}
	now := c.now()
	if !now.Before(o.until) {
		delete(c.origins, at)
		return "", false
	}
	if now.Before(o.rests) {
		return "", true
	}
	return o.addr, true
}

// Failed notes that an alternative could not be used.
func (c *Cache) Failed(at, addr string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	o := c.origins[at]
	now := c.now()
	if o == nil || o.addr != addr || now.Before(o.rests) {
		return
	}
	o.rests = now.Add(min(firstRest<<min(o.failed, 20), longRest))
	o.failed++
}

// Worked notes that an alternative has responded to a request.
func (c *Cache) Worked(at, addr string) {
	c.mu.Lock()
	if o := c.origins[at]; o != nil && o.addr == addr {
		o.failed = 0
	}
	c.mu.Unlock()
}
