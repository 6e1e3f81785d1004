package servercert

import (
	"crypto/tls"
	"slices"
)

// Inadequate returns what a connection's TLS lacks for HTTP/2, "" if nothing (RFC 9113 §9.2). Versions below TLS 1.2
// are not allowed, and TLS 1.2 with a prohibited cipher suite only if permit is true. If the version is not known, as
// with a connection that is not a *tls.Conn of crypto/tls, the TLS is accepted.
func Inadequate(state *tls.ConnectionState, permit bool) (why string) {
	switch {
	case state.Version == 0 || state.Version >= tls.VersionTLS13:
		return ""
	case state.Version < tls.VersionTLS12:
		return "tls_version"
	case !permit && Prohibited(state.CipherSuite):
		return "cipher_suite"
	}
	return ""
}

// Prohibited reports whether a cipher suite is listed in RFC 9113 appendix A: suites without an ephemeral key exchange,
// and suites with a null, stream or block cipher.
func Prohibited(suite uint16) bool {
	_, found := slices.BinarySearchFunc(prohibitedSuites[:], suite, func(r [2]uint16, suite uint16) int {
		switch {
		case r[1] < suite:
			return -1
		case r[0] > suite:
			return 1
		}
		return 0
	})
	return found
}

// prohibitedSuites are the numbers of the 276 suites of RFC 9113 appendix A, as ranges: the first and the last of each.
var prohibitedSuites = [...][2]uint16{
	{0x0000, 0x001b}, {0x001e, 0x0046}, {0x0067, 0x006d}, {0x0084, 0x009d}, {0x00a0, 0x00a1}, {0x00a4, 0x00a9},
	{0x00ac, 0x00c5}, {0x00ff, 0x00ff}, {0xc001, 0xc02a}, {0xc02d, 0xc02e}, {0xc031, 0xc051}, {0xc054, 0xc055},
	{0xc058, 0xc05b}, {0xc05e, 0xc05f}, {0xc062, 0xc06b}, {0xc06e, 0xc07b}, {0xc07e, 0xc07f}, {0xc082, 0xc085},
	{0xc088, 0xc089}, {0xc08c, 0xc08f}, {0xc092, 0xc09d}, {0xc0a0, 0xc0a1}, {0xc0a4, 0xc0a5}, {0xc0a8, 0xc0a9},
}
