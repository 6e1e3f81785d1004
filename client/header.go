package client

import "github.com/shockwave-go/shockwave"

// Header is a list of field lines.
type Header = shockwave.Header
