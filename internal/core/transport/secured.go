package transport

import "github.com/shockwave-go/shockwave/internal/core/bufpool"

// secured is the TLS of a transport. Decrypt and what goes with it must only be called if there is any.
type secured struct {
	tls *tlsLayer // nil without TLS
}

// Secured reports whether the connection uses TLS.
func (c *secured) Secured() bool { return c.tls != nil }

// Decrypt reads into p what the tls.Conn can decrypt of the bytes received so far.
func (c *secured) Decrypt(p []byte) (int, error) {
	c.tls.noWait = true
	n, err := c.tls.conn.Read(p)
	c.tls.noWait = false
	return n, err
}

// EndInput notes the end of the stream below TLS. The next Decrypt returns what the tls.Conn makes of that: io.EOF, or
// io.ErrUnexpectedEOF within a record. Only the reader may call it.
func (c *secured) EndInput() { c.tls.belowEOF = true }

// Truncated reports whether the stream has ended without TLS's closing alert (RFC 8446 §6.1), so that an attacker may
// have cut it. Only the reader may call it.
func (c *secured) Truncated() bool { return c.tls != nil && c.tls.belowEOF }

// Ciphertext returns the space to receive bytes for Decrypt into. The caller reports them to Arrived.
func (c *secured) Ciphertext() []byte { return c.tls.space() }

// CiphertextHeld is Ciphertext that does not get a buffer from the pool: it returns nil if there is none yet.
func (c *secured) CiphertextHeld() []byte {
	if c.tls.in == nil {
		return nil
	}
	return c.tls.space()
}

// Arrived notes that n bytes have been received into the space of Ciphertext or, if CiphertextHeld was nil, into fresh,
// a buffer of Record bytes from the pool, which the Conn then owns.
func (c *secured) Arrived(fresh []byte, n int) {
	if c.tls.in == nil {
		c.tls.in = fresh
	}
	c.tls.w += n
}

// Buffered reports whether received bytes wait for Decrypt.
func (c *secured) Buffered() bool { return c.tls != nil && c.tls.r < c.tls.w }

// TrimInput releases the buffer of Ciphertext if it is empty.
func (c *secured) TrimInput() {
	if c.tls != nil {
		c.tls.trim()
	}
}

// Received returns how many bytes the net.Conn has received since the last call. n is the result of the last Read,
// which over TLS counts decrypted bytes.
func (c *secured) Received(n int) int {
	if c.tls == nil {
		return n
	}
	n, c.tls.wireBytes = c.tls.wireBytes, 0
	return n
}

// TLSWrote reports, once, that TLS has written output of its own during a read. Unsent reports that output until it is
// sent. The reader must call it after each read.
func (c *secured) TLSWrote() bool {
	return c.tls != nil && c.tls.wroteOwn.Load() && c.tls.wroteOwn.Swap(false)
}

// Unsent reports whether data that was passed to TrySend or Send, or output of TLS itself, still has to be sent.
func (c *secured) Unsent() bool { return c.tls != nil && c.tls.unsent() }

// DropInput releases input that was not read. There must be no reader any more.
func (c *secured) DropInput() {
	if l := c.tls; l != nil {
		l.r, l.w = 0, 0
		l.trim()
	}
}

// DropOutput releases output that was not sent. There must be no sender any more.
func (c *secured) DropOutput() {
	l := c.tls
	if l == nil {
		return
	}
	bufpool.Put(l.sending)
	l.sending = nil
	l.mu.Lock()
	defer l.mu.Unlock()
	bufpool.Put(l.out)
	l.out = nil
}
