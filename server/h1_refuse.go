package server

import (
	"errors"

	"github.com/shockwave-go/shockwave/http1"
	"github.com/shockwave-go/shockwave/internal/core/netconn"
)

// refuse responds to a request that cannot be understood. It returns the error that ends the connection, because it is
// unknown where the next message would begin. The close is a lingering one: the client may still be sending, and a
// reset would destroy the response.
func (k *h1Conn) refuse(c *netconn.Conn, err error) error {
	status, why := 400, err.Error()
	if e, ok := errors.AsType[*http1.Error](err); ok {
		status, why = k.srv.behaviour.RefusalStatus(e)
	}
	k.srv.refused.Add(1)
	k.srv.log.Debug("server: request refused", "status", status, "err", err, "remote", c.NetConn().RemoteAddr())
	k.setWriteTimeout(c)
	c.Write(k.srv.appendRefusal(nil, c.Wall(), status, why))
	return netconn.ErrDone
}
