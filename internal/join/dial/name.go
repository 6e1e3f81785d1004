package dial

import "golang.org/x/net/idna"

// ASCII returns a host's name as it is written in the DNS, certificates and protocols: labels that are not ASCII become
// A-labels (RFC 5891). ASCII names and addresses are returned unchanged.
func ASCII(host string) (string, error) {
	for i := range len(host) {
		if host[i] >= 0x80 {
			return idna.Lookup.ToASCII(host)
		}
	}
	return host, nil
}
