package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"strconv"
)

// quicBuffer is how many bytes quic-go asks for in each direction of its socket.
const quicBuffer = 7 << 20

func (m *machine) checkReceiveBuffer() diagnosis {
	return m.checkBuffer("rmem_max", "QUIC's packets are lost when they come faster than they are read")
}

func (m *machine) checkSendBuffer() diagnosis {
	return m.checkBuffer("wmem_max", "QUIC's writes wait when the buffer is full")
}

// checkBuffer compares the largest buffer that a socket may ask for with what quic-go asks for. quic-go is content with half of
// it, because the kernel grants twice what is asked for.
func (m *machine) checkBuffer(setting, reason string) diagnosis {
	n, err := m.number("proc/sys/net/core/" + setting)
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%w; containers may not show it: look on the host", err)
	}
	if err != nil {
		return unjudged("", err)
	}
	value := strconv.FormatUint(n, 10)
	if n >= quicBuffer/2 {
		return enough(value)
	}
	return tooLow(value, fmt.Sprintf("%s; quic-go asks for %d bytes. Only HTTP/3 needs this", reason, quicBuffer),
		fmt.Sprintf("sysctl -w net.core.%s=%d", setting, quicBuffer))
}

// checkGSO looks whether the kernel cuts one large write into datagrams.
func (m *machine) checkGSO() diagnosis {
	const variable = "QUIC_GO_DISABLE_GSO" // quic-go's
	if off, err := strconv.ParseBool(m.calls.getenv(variable)); err == nil && off {
		return tooLow("turned off by "+variable, "HTTP/3 makes a system call for each packet that it sends", "unset "+variable)
	}
	switch err := m.calls.offload(false); {
	case err == nil:
		return enough("works")
	case errors.Is(err, errors.ErrUnsupported):
		return tooLow("not there", "HTTP/3 makes a system call for each packet that it sends; Linux has GSO since 4.18", "")
	default:
		return unjudged("", err)
	}
}

// checkGRO looks whether the kernel joins datagrams to one read. It only informs, because quic-go does not ask for that.
func (m *machine) checkGRO() diagnosis {
	switch err := m.calls.offload(true); {
	case err == nil:
		return enough("works, not used by quic-go")
	case errors.Is(err, errors.ErrUnsupported):
		return enough("not there, not used by quic-go")
	default:
		return unjudged("", err)
	}
}
