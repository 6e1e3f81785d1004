package request

import (
	"net/url"
	"testing"
)

// The fields of a request are those of RFC 9113 §8.3.1.
func TestSectionFields(t *testing.T) {
	u := &url.URL{Scheme: "http", Host: "h:1", Path: "/a b", RawQuery: "c=d"}
	req := &Request{URLs: []*url.URL{u}, Method: "POST", Body: []byte("body")}
	req.Header.Add("HOST", "other")
	req.Header.Add("X-Y", "Z")
	sections, err := req.Sections()
	if err != nil {
		t.Fatal(err)
	}
	got := ""
	for _, f := range sections[0] {
		got += f.Name + " " + f.Value + "; "
	}
	want := ":method POST; :scheme http; :authority other; :path /a%20b?c=d; user-agent shockwave; content-length 4; x-y Z; "
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
