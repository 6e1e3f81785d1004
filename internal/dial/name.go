package dial

import "golang.org/x/net/idna"

// ASCII returns the name of a host as the DNS, certificates and protocols know it: one with other than ASCII letters
// becomes A-labels (RFC 5891). Names in ASCII, and addresses, stay as they are.
func ASCII(host string) (string, error) {
	for i := range len(host) {
		if host[i] >= 0x80 {
			return idna.Lookup.ToASCII(host)
		}
	}
	return host, nil
}
