package transport

import "runtime"

// disconnects reports whether Disconnect resets a raw TCP connection at once.
const disconnects = runtime.GOARCH != "386" && runtime.GOARCH != "s390x"
