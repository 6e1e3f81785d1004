package fields

import (
	"encoding/base64"
	"strings"

	"google.golang.org/grpc/metadata"
)

// binSuffix ends the names of metadata whose values are any bytes, base64 on the wire.
const binSuffix = "-bin"

// EncodeValue returns the field value for a value of metadata.
func EncodeValue(name, value string) string {
	if strings.HasSuffix(name, binSuffix) {
		return base64.RawStdEncoding.EncodeToString([]byte(value))
	}
	return value
}

// AppendValues appends to md what a field line called name, in lower case, says. A line of binary metadata may hold
// several values, separated by commas. ok is false if one of them is not base64; what precedes it is appended.
func AppendValues(md metadata.MD, name, value string) (ok bool) {
	if !strings.HasSuffix(name, binSuffix) {
		md[name] = append(md[name], value)
		return true
	}
	for one := range strings.SplitSeq(value, ",") {
		b, err := DecodeBinary(strings.Trim(one, " \t"))
		if err != nil {
			return false
		}
		md[name] = append(md[name], string(b))
	}
	return true
}

// EncodeBinary returns the value of a field whose name ends in "-bin".
func EncodeBinary(b []byte) string { return base64.RawStdEncoding.EncodeToString(b) }

// DecodeBinary decodes a value of a field whose name ends in "-bin", with padding or without.
func DecodeBinary(v string) ([]byte, error) {
	return base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
}

// IsReserved reports whether metadata cannot be called name, which is in lower case: the name belongs to HTTP or to the
// gRPC protocol.
func IsReserved(name string) bool {
	switch name {
	case "content-type", "user-agent", "te", "connection", "host", "content-length", "transfer-encoding", "trailer", "date",
		"keep-alive", "proxy-connection", "upgrade",
		"grpc-encoding", "grpc-message", "grpc-message-type", "grpc-status", "grpc-status-details-bin", "grpc-timeout":
		return true
	}
	return strings.HasPrefix(name, ":")
}

// Join returns a with the values of b, whose names become lower case. It does not keep b.
func Join(a, b metadata.MD) metadata.MD {
	if len(b) > 0 && a == nil {
		a = make(metadata.MD, len(b))
	}
	for name, values := range b {
		name = strings.ToLower(name)
		a[name] = append(a[name], values...)
	}
	return a
}
