package websocket_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"

	"github.com/shockwave-go/shockwave/websocket"
)

// A client logs in over HTTP, and opens a connection with the cookies and everything else that its http.Client has.
func ExampleDial_cookies() {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /login", func(w http.ResponseWriter, r *http.Request) {
		http.SetCookie(w, &http.Cookie{Name: "user", Value: "ann"})
	})
	mux.HandleFunc("GET /feed", func(w http.ResponseWriter, r *http.Request) {
		user, err := r.Cookie("user")
		if err != nil {
			http.Error(w, "who are you?", http.StatusUnauthorized)
			return
		}
		c, err := websocket.Accept(w, r, websocket.Config{})
		if err != nil {
			return // Accept has sent a response
		}
		c.WriteMessage(websocket.TextMessage, []byte("welcome, "+user.Value))
		c.Close(websocket.CloseNormal, "")
	})
	s := httptest.NewServer(mux)
	defer s.Close()

	client := s.Client()
	client.Jar, _ = cookiejar.New(nil)
	client.Post(s.URL+"/login", "", nil)
	c, _, err := websocket.Dial(context.Background(), s.URL+"/feed", websocket.Config{HTTPClient: client})
	if err != nil {
		fmt.Println(err)
		return
	}
	for m, err := range c.Messages() {
		fmt.Printf("%s %v\n", m.Data, err)
	}
	// Output: welcome, ann <nil>
}
