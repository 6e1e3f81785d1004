package netconn

// Waits reports whether a wait for input is under way: of the connection's goroutine, of the lot, or of who watches.
func Waits(l *Link) bool { return l.readBy.Load() != 0 }

// HoldsInput reports whether p has leased a buffer for what arrives. Nobody may read from p meanwhile.
func HoldsInput(p *Pulled) bool {
	p.mu.Lock() // as who looks at what TLS has sent, when nobody else reads
	defer p.mu.Unlock()
	return p.buf != nil || p.tr.Secured() && p.tr.Buffered()
}
