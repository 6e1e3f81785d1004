package shockwave

// Blame tells which side of a connection broke the protocol.
type Blame uint8

const (
	// Peer means that the other side sent something that it must not send.
	Peer Blame = iota
	// Local means that this program tried to send something that must not be sent.
	Local
)

// String returns "peer" or "local".
func (b Blame) String() string {
	if b == Local {
		return "local"
	}
	return "peer"
}

// ProtocolError is implemented by the error types of all protocols in this module.
type ProtocolError interface {
	error
	// Blame returns which side broke the protocol.
	Blame() Blame
	// Reference returns the rule that was broken, such as "RFC 9112 §5.1".
	Reference() string
}

// Violation is what the protocols' errors have in common: the rule that was broken, and by whom. Their error types embed it.
type Violation struct {
	// Who broke the rule.
	Who Blame
	// Rule is where the rule is written, such as "RFC 9112 §5.1".
	Rule string
	// Msg says what is wrong.
	Msg string
}

// Blame returns which side broke the rule.
func (v Violation) Blame() Blame { return v.Who }

// Reference returns the rule.
func (v Violation) Reference() string { return v.Rule }
