package websocket

import (
	"testing"
)

// Compression can be turned on and off for each message, whichever way it is written.
func TestEnableWriteCompression(t *testing.T) {
	p := letters(5000)
	m := Prepare(TextMessage, []byte(p))
	ways := map[string]func(c *Conn) error{
		"WriteMessage": func(c *Conn) error { return c.WriteMessage(TextMessage, []byte(p)) },
		"Send":         func(c *Conn) error { return c.Send(TextMessage, []byte(p)) },
		"SendPrepared": func(c *Conn) error { return c.SendPrepared(m) },
		"short stream": func(c *Conn) error { return stream(c, p) },
		"long stream":  func(c *Conn) error { return stream(c, letters(40_000)) },
	}
	for _, compression := range []Compression{NoContextTakeover, ContextTakeover} {
		for name, write := range ways {
			if compression == ContextTakeover && (name == "Send" || name == "SendPrepared") {
				continue // they never are
			}
			r := faces[0].open(t, Config{Compression: compression})
			for _, on := range []bool{true, false, true} {
				r.c.EnableWriteCompression(on)
				if err := write(r.c); err != nil {
					t.Fatal(err)
				}
				for head := "\x00"; head[0]&0x80 == 0; {
					head = r.peer.WantN(2)
					if compressed := head[0]&0x40 != 0; head[0]&0xF == 1 && compressed != on {
						t.Errorf("%s, %v: compressed %v, want %v", name, compression, compressed, on)
					}
					size := int(head[1])
					if size >= 126 {
						n := 0
						for _, b := range []byte(r.peer.WantN(2 + (size-126)*6)) {
							n = n<<8 | int(b)
						}
						size = n
					}
					r.peer.WantN(size)
				}
			}
		}
	}
	cfg := Config{Compression: ContextTakeover}
	c, s := Pipe(cfg, cfg)
	for _, on := range []bool{true, false, true, true, false, true} {
		c.EnableWriteCompression(on)
		if err := c.WriteMessage(TextMessage, []byte(p)); err != nil {
			t.Fatal(err)
		}
		wantMessage(t, s, p)
	}
	c.CloseNow()
	s.CloseNow()
}

// stream writes p as a message of unknown length.
func stream(c *Conn, p string) error {
	w, err := c.NextWriter(TextMessage)
	if err != nil {
		return err
	}
	if _, err := w.Write([]byte(p)); err != nil {
		return err
	}
	return w.Close()
}
