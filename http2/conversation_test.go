package http2

import "testing"

// A server receives a GET, sends a response with a body, and the stream is closed and forgotten.
func TestServerRespondsToGet(t *testing.T) {
	tk := server(t, Config{})
	tk.send(tk.get(1, "accept: */*"))
	tk.want("Headers 1 GET https example.com / accept=*/* END")
	tk.silent()
	s := streamOf(tk.c, 1)
	out := tk.c.AppendHeaders(nil, s, fieldsOf(":status: 200", "content-type: text/plain"), false)
	out, n := tk.c.AppendData(out, s, []byte("hello"), true, tk.now)
	if n != 5 {
		t.Fatalf("sent %d bytes, want 5", n)
	}
	tk.wrote(out, "HEADERS 1 :status=200 content-type=text/plain", `DATA 1 "hello" END`)
	if s.State() != StateClosed {
		t.Fatalf("state %d", s.State())
	}
	tk.c.Release(s)
	tk.says()
	if tk.c.Len() != 0 {
		t.Fatal("stream left")
	}
}

// A server receives a body, with padding, wherever the input is cut.
func TestServerTakesBody(t *testing.T) {
	for cut := range 40 {
		tk := server(t, Config{})
		tk.cut = cut
		tk.send(tk.post(1, "content-length: 6") + data(1, FlagPadded, "\x02abcdZZ") + data(1, FlagEndStream, "ef"))
		tk.want("Headers 1 POST https example.com / content-length=6")
		body := ""
		for {
			ev, n, err := tk.c.Next(tk.in, tk.now)
			tk.in = tk.in[n:]
			if err != nil || ev.Kind != EventData {
				t.Fatal(ev, err)
			}
			body += string(ev.Data)
			tk.c.Consumed(ev.Stream, len(ev.Data), tk.now)
			if ev.EndStream {
				break
			}
		}
		tk.silent()
		if body != "abcdef" {
			t.Fatalf("body %q", body)
		}
		tk.says()
	}
}

// A client sends a GET and receives an informational response, a response with a body, and trailers.
func TestClientGets(t *testing.T) {
	tk := client(t, Config{})
	s, err := tk.c.Open(nil)
	if err != nil {
		t.Fatal(err)
	}
	tk.wrote(tk.c.AppendHeaders(nil, s, fieldsOf(getLines...), true), "HEADERS 1 :method=GET :scheme=https :authority=example.com :path=/ END")
	tk.send(frame(FrameHeaders, FlagEndHeaders, 1, tk.block(":status: 103", "link: </a>")))
	tk.send(frame(FrameHeaders, FlagEndHeaders, 1, tk.block(":status: 200")))
	tk.send(data(1, 0, "ab"))
	tk.send(frame(FrameHeaders, FlagEndHeaders|FlagEndStream, 1, tk.block("x-sum: 1")))
	tk.want("Informational 1 103 link=</a>", "Headers 1 200", `Data 1 "ab"`, "Trailers 1 x-sum=1 END")
	tk.silent()
	tk.c.Release(s)
	tk.says()
}
