package fields

import (
	"strconv"

	spb "google.golang.org/genproto/googleapis/rpc/status"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

// Status is the status of a call as fields.
type Status struct {
	Code    string // of grpc-status
	Message string // of grpc-message, "" for none
	Details string // of grpc-status-details-bin, "" for none
}

// codeTexts are the values of grpc-status.
var codeTexts = func() (t [17]string) {
	for i := range t {
		t[i] = strconv.Itoa(i)
	}
	return t
}()

// EncodeStatus returns the fields that say st. A nil st is OK.
func EncodeStatus(st *status.Status) Status {
	code := st.Code()
	if code == codes.OK {
		return Status{Code: codeTexts[0]}
	}
	s := Status{Message: EncodeMessage(st.Message())}
	if int(code) < len(codeTexts) {
		s.Code = codeTexts[code]
	} else {
		s.Code = strconv.FormatUint(uint64(code), 10)
	}
	if p := st.Proto(); len(p.Details) > 0 {
		if b, err := proto.Marshal(p); err == nil {
			s.Details = EncodeBinary(b)
		}
	}
	return s
}

// Err returns the error that the fields say, nil for OK. Details that cannot be decoded, or that are of another code, are
// left out. A Code that is no number is an error of code Unknown.
func (s Status) Err() error {
	if s.Code == codeTexts[0] {
		return nil
	}
	n, err := strconv.ParseUint(s.Code, 10, 32)
	if err != nil {
		return status.Errorf(codes.Unknown, "grpc: malformed grpc-status %q", s.Code)
	}
	if s.Details != "" {
		if b, err := DecodeBinary(s.Details); err == nil {
			p := new(spb.Status)
			if proto.Unmarshal(b, p) == nil && p.Code == int32(n) {
				return status.ErrorProto(p)
			}
		}
	}
	if n == 0 {
		return nil
	}
	return status.Error(codes.Code(n), DecodeMessage(s.Message))
}

// CodeOfHTTP returns the code of a response with an HTTP status that is not 200 and without a grpc-status ("HTTP to gRPC
// Status Code Mapping").
func CodeOfHTTP(s int) codes.Code {
	switch s {
	case 400:
		return codes.Internal
	case 401:
		return codes.Unauthenticated
	case 403:
		return codes.PermissionDenied
	case 404:
		return codes.Unimplemented
	case 429, 502, 503, 504:
		return codes.Unavailable
	}
	return codes.Unknown
}
