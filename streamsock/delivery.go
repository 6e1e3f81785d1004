package streamsock

// delivery is what is known of the messages that a connection was handed before its end. The connection's goroutine owns it.
type delivery uint8

const (
	deliveryUnknown delivery = iota
	deliveredAll             // all were sent, and our close frame after them
	deliveryCut              // Linger was over before all were sent
)
