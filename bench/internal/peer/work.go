package peer

import "encoding/json"

// PathWork is answered by a handler that works as many do: it reads JSON and writes other JSON, which takes a stack of
// some KiB where a constant page takes next to none.
const PathWork = "/work"

// order is what the handler reads and writes.
type order struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Where map[string]string `json:"where,omitempty"`
	Done  bool              `json:"done"`
}

var orders = []byte(`[{"id":1,"name":"first","tags":["small","quick"],"where":{"town":"Ulm"},"done":false},` +
	`{"id":2,"name":"second","tags":[],"done":false}]`)

// work returns the answer on PathWork. It is the caller's.
func work() []byte {
	var list []order
	if err := json.Unmarshal(orders, &list); err != nil {
		panic(err)
	}
	for i := range list {
		list[i].Done = true
	}
	b, err := json.Marshal(list)
	if err != nil {
		panic(err)
	}
	return b
}
