package clients

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
)

// signer signs what it sends: a clone of the request, with the body that it has read. http.Client may send it elsewhere then.
type signer struct {
	base http.RoundTripper
	sign func(req *http.Request, body []byte)
}

// RoundTrip implements http.RoundTripper.
func (s signer) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	signed := r.Clone(r.Context())
	if r.Body != nil {
		var err error
		body, err = io.ReadAll(r.Body)
		r.Body.Close()
		if err != nil {
			return nil, err
		}
		signed.Body = io.NopCloser(bytes.NewReader(body))
		signed.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(body)), nil }
	}
	s.sign(signed, body)
	return s.base.RoundTrip(signed)
}

// The parts of a request that a signature of AWS covers arrive unchanged, so that the server computes the same signature.
func TestSigner(t *testing.T) {
	login := aws.Credentials{AccessKeyID: "key", SecretAccessKey: "secret", SessionToken: "token"}
	at := time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC)
	sign := func(req *http.Request, body []byte) {
		sum := sha256.Sum256(body)
		if err := v4.NewSigner().SignHTTP(context.Background(), login, req, hex.EncodeToString(sum[:]), "s3", "eu-central-1", at); err != nil {
			t.Error(err)
		}
	}
	overBoth(t, func(t *testing.T, rt carrier) (seen []string) {
		url := rt.serve(t, func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/moved" {
				http.Redirect(w, r, "/there", http.StatusTemporaryRedirect)
				return
			}
			list, same := signedAgain(r, sign)
			fmt.Fprint(w, r.URL, list, same)
		})
		c := &http.Client{Transport: signer{rt, sign}}
		for _, path := range []string{"/", "/a%20b/%C3%BC?x=1&b=%2F&a=", "/key//twice/../up", "/moved"} {
			for _, body := range []io.Reader{nil, strings.NewReader("a body"), io.MultiReader(strings.NewReader("a body"))} {
				req, _ := http.NewRequestWithContext(t.Context(), "PUT", url+path, body)
				req.Header.Set("X-Amz-Meta-Two", "a  b")
				req.Header.Set("Content-Type", "text/x")
				resp, err := c.Do(req)
				check(t, err)
				b, _ := io.ReadAll(resp.Body)
				resp.Body.Close()
				seen = append(seen, fmt.Sprint(resp.StatusCode, string(b)))
				if resp.StatusCode == 200 && !strings.HasSuffix(string(b), "true") {
					t.Errorf("%s: %s", path, b)
				}
				if req.Header.Get("Authorization") != "" {
					t.Error("the request itself was changed")
				}
			}
		}
		return seen
	})
}

// signedAgain reports whether r has the signature that sign makes of it, and which fields are part of that.
func signedAgain(r *http.Request, sign func(*http.Request, []byte)) (list string, same bool) {
	got := r.Header.Get("Authorization")
	body, _ := io.ReadAll(r.Body)
	again := r.Clone(context.Background())
	again.URL.Host, again.URL.Scheme, again.ContentLength = r.Host, "http", int64(len(body))
	_, list, _ = strings.Cut(got, "SignedHeaders=")
	list, _, _ = strings.Cut(list, ",")
	signed := strings.Split(list, ";")
	if !slices.Contains(signed, "content-length") {
		again.ContentLength = -1
	}
	for name := range again.Header {
		if !slices.Contains(signed, strings.ToLower(name)) {
			again.Header.Del(name)
		}
	}
	sign(again, body)
	return list, got != "" && got == again.Header.Get("Authorization")
}
