package netconn

// KickWrite does what the clock does to look at a wait for the socket.
func KickWrite(c *Conn) { c.kickWrite() }

// SpeakTLS has p sent as if TLS itself said it; CloseTLS has it send its closing alert.
func SpeakTLS(c *Conn, p []byte) error {
	_, err := c.shim.Write(p)
	return err
}

func CloseTLS(c *Conn) error { return c.shim.tls.CloseWrite() }
