package netconn

// Waits reports whether a wait for input is under way: of the connection's goroutine, of the lot, or of a watch.
func Waits(l *Link) bool { return l.readBy.Load() != 0 }

// HoldsInput reports whether p has leased a buffer for input. No goroutine may read from p meanwhile.
func HoldsInput(p *Pulled) bool {
	if w := p.watch.Load(); w != nil {
		w.setup.Lock() // as siftTLS does, which reads when nothing else does
		defer w.setup.Unlock()
	}
	return p.in.Size() > 0 || p.tr.Secured() && p.tr.Buffered()
}
