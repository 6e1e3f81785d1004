package http2

// Errors of frames. All of these end the connection.
var (
	errPreface      = refuse("preface", ErrCodeProtocol, "RFC 9113 §3.4", "the connection does not begin with the client's preface")
	errFirst        = refuse("first_settings", ErrCodeProtocol, "RFC 9113 §3.4", "the first frame is not SETTINGS")
	errFrameSize    = refuse("frame_size", ErrCodeFrameSize, "RFC 9113 §4.2", "frame longer than SETTINGS_MAX_FRAME_SIZE")
	errPayload      = refuse("payload_length", ErrCodeFrameSize, "RFC 9113 §4.2", "payload does not have the length of its frame type")
	errSettingsSize = refuse("settings_length", ErrCodeFrameSize, "RFC 9113 §6.5", "SETTINGS is no list of 6 bytes each")
	errSettingsAck  = refuse("settings_ack_length", ErrCodeFrameSize, "RFC 9113 §6.5", "acknowledgement of SETTINGS with a payload")
	errStreamZero   = refuse("stream_zero", ErrCodeProtocol, "RFC 9113 §6", "frame of a stream on stream 0")
	errStreamSome   = refuse("stream_not_zero", ErrCodeProtocol, "RFC 9113 §6", "frame of the connection on a stream")
	errPadding      = refuse("padding", ErrCodeProtocol, "RFC 9113 §6.1", "padding is longer than its frame")
	errBlockBroken  = refuse("block_interrupted", ErrCodeProtocol, "RFC 9113 §4.3", "another frame inside a header block")
	errContinuation = refuse("continuation", ErrCodeProtocol, "RFC 9113 §6.10", "CONTINUATION without an open header block")
	errPush         = refuse("push_promise", ErrCodeProtocol, "RFC 9113 §8.4", "PUSH_PROMISE, which nobody allowed")
	errUpdateSender = refuse("priority_update_sender", ErrCodeProtocol, "RFC 9218 §7.1", "PRIORITY_UPDATE from a server")
	errUpdateStream = refuse("priority_update_stream", ErrCodeProtocol, "RFC 9218 §7.1", "PRIORITY_UPDATE for a stream that no request can have")
)

// Errors of settings. All of these end the connection.
var (
	errSettingPush    = refuse("setting_push", ErrCodeProtocol, "RFC 9113 §6.5.2", "SETTINGS_ENABLE_PUSH is not 0 or 1, or 1 from a server")
	errSettingWindow  = refuse("setting_window", ErrCodeFlowControl, "RFC 9113 §6.5.2", "SETTINGS_INITIAL_WINDOW_SIZE above 2^31-1")
	errSettingFrame   = refuse("setting_frame_size", ErrCodeProtocol, "RFC 9113 §6.5.2", "SETTINGS_MAX_FRAME_SIZE below 2^14 or above 2^24-1")
	errSettingConnect = refuse("setting_connect", ErrCodeProtocol, "RFC 8441 §3", "SETTINGS_ENABLE_CONNECT_PROTOCOL is not 0 or 1, or 0 after 1")
	errSettingLegacy  = refuse("setting_priorities", ErrCodeProtocol, "RFC 9218 §2.1", "SETTINGS_NO_RFC7540_PRIORITIES is not 0 or 1")
	errSettingsTime   = refuse("settings_ack_late", ErrCodeSettingsTimeout, "RFC 9113 §6.5.3", "SETTINGS were not acknowledged in time")
	errUpgrade        = refuse("upgrade_settings", ErrCodeProtocol, "RFC 7540 §3.2.1", "malformed HTTP2-Settings")
)

// Errors of streams and their states. Those marked "connection", and all on stream 0, end the connection; the others
// reset the stream.
var (
	errIDParity   = refuse("stream_id_parity", ErrCodeProtocol, "RFC 9113 §5.1.1", "stream identifier of the other side's kind") // connection
	errIdle       = refuse("stream_idle", ErrCodeProtocol, "RFC 9113 §5.1", "frame on an idle stream")                           // connection
	errIDSkipped  = refuse("stream_id_order", ErrCodeProtocol, "RFC 9113 §5.1.1", "stream identifier lower than one before")     // connection
	errEnded      = refuse("stream_ended", ErrCodeStreamClosed, "RFC 9113 §5.1", "frame on a stream that has ended")             // connection
	errHalfClosed = refuse("stream_half_closed", ErrCodeStreamClosed, "RFC 9113 §5.1", "frame behind END_STREAM")
	errWasReset   = refuse("stream_was_reset", ErrCodeStreamClosed, "RFC 9113 §5.1", "frame behind RST_STREAM")
	errTooMany    = refuse("max_streams", ErrCodeRefusedStream, "RFC 9113 §5.1.2", "more streams than SETTINGS_MAX_CONCURRENT_STREAMS")
	errSelf       = refuse("priority_self", ErrCodeProtocol, "RFC 7540 §5.3.1", "stream depends on itself")
	errPriority   = refuse("priority_length", ErrCodeFrameSize, "RFC 9113 §6.3", "PRIORITY is not 5 bytes long")
)

// Errors of flow control. On stream 0 these end the connection, otherwise they reset the stream.
var (
	errZeroUpdate     = refuse("window_update_zero", ErrCodeProtocol, "RFC 9113 §6.9", "WINDOW_UPDATE of 0")
	errWindowOverflow = refuse("window_overflow", ErrCodeFlowControl, "RFC 9113 §6.9.1", "window grown above 2^31-1")
	errWindow         = refuse("window_exceeded", ErrCodeFlowControl, "RFC 9113 §6.9.1", "more DATA than the window lets through")
)

// Limits that the peer exceeded. errListSize for trailers and responses, and errStalled, end a stream; the others end the
// connection.
var (
	errCalm      = refuse("no_progress", ErrCodeEnhanceYourCalm, "RFC 9113 §10.5", "too much work without progress")
	errPending   = refuse("pending_answers", ErrCodeEnhanceYourCalm, "RFC 9113 §10.5", "asks for more answers than it takes")
	errBlockSize = refuse("block_size", ErrCodeEnhanceYourCalm, "RFC 9113 §10.5.1", "header block without an end")
	errListSize  = refuse("header_list_size", ErrCodeEnhanceYourCalm, "RFC 9113 §10.5.1", "header section larger than SETTINGS_MAX_HEADER_LIST_SIZE")
	errHeadTime  = refuse("head_late", ErrCodeEnhanceYourCalm, "RFC 9113 §10.5", "a frame or a header block took too long")
	errStalled   = refuse("window_closed", ErrCodeCancel, "RFC 9113 §10.5", "peer opens no window for what it asked for")

	// ErrUnprocessed is the Err of an EventReset: the peer's GOAWAY says that it has not worked on the stream.
	ErrUnprocessed = refuse("", ErrCodeRefusedStream, "RFC 9113 §6.8", "the peer went away before it worked on the stream")
)

// Error of header compression. It ends the connection.
var errCompression = refuse("compression", ErrCodeCompression, "RFC 9113 §4.3", "header block that cannot be decompressed")

// Errors of messages. A malformed message resets its stream (RFC 9113 §8.1.1).
var (
	errName          = refuse("field_name", ErrCodeProtocol, "RFC 9113 §8.2.1", "field name is not a lower-case token")
	errValue         = refuse("field_value", ErrCodeProtocol, "RFC 9113 §8.2.1", "control byte, or white space at an end, in a field value")
	errConnection    = refuse("field_connection", ErrCodeProtocol, "RFC 9113 §8.2.2", "connection-specific field")
	errTE            = refuse("field_te", ErrCodeProtocol, "RFC 9113 §8.2.2", "te is not trailers")
	errPseudoOrder   = refuse("pseudo_order", ErrCodeProtocol, "RFC 9113 §8.3", "pseudo-field behind a field")
	errPseudoUnknown = refuse("pseudo_unknown", ErrCodeProtocol, "RFC 9113 §8.3", "pseudo-field that this message does not have")
	errPseudoTwice   = refuse("pseudo_twice", ErrCodeProtocol, "RFC 9113 §8.3", "pseudo-field more than once")
	errPseudoMissing = refuse("pseudo_missing", ErrCodeProtocol, "RFC 9113 §8.3.1", "pseudo-field missing")
	errMethod        = refuse("method", ErrCodeProtocol, "RFC 9110 §9.1", "method is not a token")
	errScheme        = refuse("scheme", ErrCodeProtocol, "RFC 3986 §3.1", "malformed :scheme")
	errPath          = refuse("path", ErrCodeProtocol, "RFC 9113 §8.3.1", "malformed :path")
	errAuthority     = refuse("authority", ErrCodeProtocol, "RFC 9113 §8.3.1", "malformed or missing authority")
	errHost          = refuse("host", ErrCodeProtocol, "RFC 9113 §8.3.1", "host differs from :authority, or comes twice")
	errConnect       = refuse("connect", ErrCodeProtocol, "RFC 9113 §8.5", "CONNECT with :scheme or :path, or without host and port")
	errProtocol      = refuse("protocol", ErrCodeProtocol, "RFC 8441 §4", ":protocol without CONNECT, or not offered")
	errStatus        = refuse("status", ErrCodeProtocol, "RFC 9113 §8.3.2", "malformed :status")
	errSwitching     = refuse("status_101", ErrCodeProtocol, "RFC 9113 §8.6", "status 101, which only HTTP/1.1 has")
	errInformational = refuse("informational_end", ErrCodeProtocol, "RFC 9113 §8.1", "informational response with END_STREAM")
	errTrailers      = refuse("trailers_without_end", ErrCodeProtocol, "RFC 9113 §8.1", "trailers without END_STREAM")
	errTunnel        = refuse("tunnel_headers", ErrCodeProtocol, "RFC 9113 §8.5", "HEADERS inside a tunnel")
	errHeadless      = refuse("data_before_head", ErrCodeProtocol, "RFC 9113 §8.1", "DATA before the head of its message")
	errLength        = refuse("length_malformed", ErrCodeProtocol, "RFC 9110 §8.6", "content-length is not one decimal number")
	errLengthOff     = refuse("length_mismatch", ErrCodeProtocol, "RFC 9113 §8.1.1", "more DATA than content-length says")

	// ErrShort is the Err of an EventReset: the peer's message ended before it had the length that content-length states.
	ErrShort = refuse("length_short", ErrCodeProtocol, "RFC 9113 §8.1.1", "less DATA than content-length says")
)
