package fields

import (
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// Valid returns nil, or the status Internal for metadata that cannot be sent: names are letters, digits, "-", "_" and ".",
// and values printable ASCII unless the name ends in "-bin".
func Valid(md metadata.MD) error {
	for name, values := range md {
		if name == "" {
			return status.Error(codes.Internal, "grpc: metadata has an empty name")
		}
		if name[0] == ':' {
			continue // left out when it is sent, as all reserved names are
		}
		for i := range len(name) {
			if c := name[i] | 0x20; !('a' <= c && c <= 'z' || '0' <= name[i] && name[i] <= '9' || name[i] == '-' || name[i] == '_' || name[i] == '.') {
				return status.Errorf(codes.Internal, "grpc: the name of metadata %q has an illegal character", name)
			}
		}
		if strings.HasSuffix(strings.ToLower(name), "-bin") {
			continue
		}
		for _, v := range values {
			for i := range len(v) {
				if v[i] < ' ' || v[i] > '~' {
					return status.Errorf(codes.Internal, "grpc: a value of metadata %q is not printable ASCII", name)
				}
			}
		}
	}
	return nil
}
