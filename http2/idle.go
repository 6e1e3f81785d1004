package http2

// workspace holds the parts of a Conn that are not needed while nothing is received or sent. It holds nothing of the
// connections that used it before.
type workspace struct {
	recv  receiver
	send  sender
	ended endings
}

// use returns the connection's workspace. If it has none, it takes one.
func (c *Conn) use() *workspace {
	if c.work == nil {
		c.take()
	}
	return c.work
}

// take gives the connection a workspace: from the pool, or a new one.
func (c *Conn) take() {
	var w *workspace
	if p := c.core.cfg.Pool; p != nil {
		w, _ = p.Get().(*workspace)
	}
	if w == nil {
		w = new(workspace)
	}
	w.recv.core, w.send.core, c.core.ended = &c.core, &c.core, &w.ended
	c.work = w
}

// Trim releases memory that is not needed while there are no streams, for a connection that will be idle for a while. With
// a Config.Pool most of it goes there if there are no streams and nothing is being received. How earlier streams ended
// is forgotten then, and so is the encoder's table: fields that were in it will be sent in full again. The connection takes
// the memory again when it needs it.
func (c *Conn) Trim() {
	k := &c.core
	if len(k.out) == 0 {
		k.out = nil
	}
	k.streams.trim()
	k.sched.trim()
	w := c.work
	if w == nil {
		return
	}
	if w.recv.block.id == 0 {
		w.recv.block.reset()
	}
	w.recv.decoder.Trim()
	if k.cfg.Pool == nil || k.streams.n > 0 || w.recv.busy() || w.send.stream != nil {
		return
	}
	if w.recv.decodes {
		state, err := w.recv.decoder.AppendBinary(nil)
		if err != nil {
			return
		}
		k.decoder = string(state)
	}
	if w.send.encodes && (k.peer.table.changed || k.cfg.EncoderTable < defaultTableSize) {
		k.peer.table.told = true
	}
	c.work, k.ended = nil, nil
	w.reset()
	k.cfg.Pool.Put(w)
}

// reset prepares w for another connection. Its block must have been reset.
func (w *workspace) reset() {
	r, s := &w.recv, &w.send
	r.decoder.Reset()
	s.encoder.Reset()
	*w = workspace{recv: receiver{block: r.block, decoder: r.decoder}, send: sender{encoder: s.encoder}}
}
