package peer

import "encoding/json"

// PathWork is the path of a handler that decodes and encodes JSON, as many handlers do. That needs some KiB of stack, while a
// constant response needs almost none.
const PathWork = "/work"

// order is the value that the handler decodes and encodes.
type order struct {
	ID    int               `json:"id"`
	Name  string            `json:"name"`
	Tags  []string          `json:"tags"`
	Where map[string]string `json:"where,omitempty"`
	Done  bool              `json:"done"`
}

var orders = []byte(`[{"id":1,"name":"first","tags":["small","quick"],"where":{"town":"Ulm"},"done":false},` +
	`{"id":2,"name":"second","tags":[],"done":false}]`)

// work returns the response on PathWork. The caller may change it.
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
