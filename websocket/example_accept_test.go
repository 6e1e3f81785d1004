package websocket_test

import (
	"net/http"

	"github.com/shockwave-go/shockwave/websocket"
)

// A trusted proxy's word on the host decides whether a page belongs to the site.
func ExampleConfig_checkOrigin() {
	http.HandleFunc("/feed", func(w http.ResponseWriter, r *http.Request) {
		c, err := websocket.Accept(w, r, websocket.Config{
			CheckOrigin: func(origin, _ string) bool {
				return origin == "" || origin == "https://"+r.Header.Get("X-Forwarded-Host")
			},
		})
		if err != nil {
			return // Accept has sent a response
		}
		defer c.Close(websocket.CloseNormal, "")
		c.WriteMessage(websocket.TextMessage, []byte("hello"))
	})
}

// One path serves browsers a page, and the page's script a connection.
func ExampleIsUpgrade() {
	http.HandleFunc("/chat", func(w http.ResponseWriter, r *http.Request) {
		if !websocket.IsUpgrade(r) {
			http.ServeFile(w, r, "chat.html")
			return
		}
		websocket.Accept(w, r, websocket.Config{
			OnMessage: func(c *websocket.Conn, t websocket.MessageType, p []byte) { c.WriteMessage(t, p) },
		})
	})
}
