/** Options of a Socket. All fields are optional. */
export interface Options {
  /** Binary messages carry the byte stream used on tcp, with length prefixes. Both ends must use it. Default false. */
  prefixed?: boolean
  /** Send strings and accept text. Without this option, text ends the connection. Not with prefixed. Default false. */
  text?: boolean
  /** Maximum length in bytes of a received message; 0 is no limit. Default 16 MiB. */
  maxMessage?: number
  /**
   * Maximum number of bytes that wait for a connection, or for the browser to send them. A single message may exceed it.
   * Default 4 MiB.
   */
  queueBytes?: number
  /** Maximum number of messages that wait for a connection. Default 1,000. */
  queueMessages?: number
  /**
   * First and longest wait in milliseconds before the connection is dialled again. Each wait is twice the one before, minus
   * a random part of up to one half. The waits begin again with redialFirst after a connection that has lasted for
   * redialLongest; after close code 1012 or 1013 the next one is redialLongest. With a negative redialFirst the connection is dialled only once. Default: 100 and 5,000.
   */
  redialFirst?: number
  redialLongest?: number
  /** Timeout in milliseconds for opening a connection; 0 is none. Default 10,000. */
  handshake?: number
  /** WebSocket subprotocols to offer, best first. */
  subprotocols?: string[]
  /** The WebSocket class to use. Default: the global one, which browsers and Node.js 22 or later have. */
  WebSocket?: new (url: string, protocols?: string[]) => any
}

export type Reason =
  /** The peer has sent a close frame; code and text are from it. */
  | 'closed'
  /** The connection ended without a close frame (1006), or inside a message of the prefixed stream. */
  | 'truncated'
  /** The peer sent a message longer than maxMessage. It is sent code 4009, because pages may not send 1009. */
  | 'too-large'
  /** The peer sent text without the option text. It is sent code 4003, because pages may not send 1003. */
  | 'text'
  /** close() was called. */
  | 'local'

/** How a connection ended. */
export interface End {
  reason: Reason
  /** Code of the close frame, the peer's or ours. 1005: it had no code; 1006: there was no close frame. */
  code: number
  text: string
  /** With too-large: the length of the refused message. */
  length?: number
  /** Whether the connection will be dialled again. */
  returns: boolean
}

export interface Events {
  /** The first connection is open. Waiting messages have already been sent. */
  connected: { subprotocol: string }
  /** A later connection is open. */
  reconnected: { subprotocol: string }
  /**
   * A message; a string only with the option text. An array belongs to the listener, and may be a view of a larger buffer
   * (see byteOffset).
   */
  message: Uint8Array | string
  /** A connection has ended: once for each connection, after all its messages. */
  disconnected: End
  /** A connection could not be opened. It is tried again in wait milliseconds; 0 means never. */
  failed: { wait: number }
}

/**
 * A connection to a routing-id socket over ws or wss. It is dialled again whenever it breaks, until close() is called.
 * Messages sent in the meantime wait in a bounded queue. Messages in transit when a connection breaks may be lost, but no
 * message arrives twice or truncated.
 */
export class Socket {
  constructor(url: string | URL, options?: Options)
  /** 'away' means that a connection was lost and will be dialled again. */
  readonly state: 'connecting' | 'connected' | 'away' | 'closed'
  /** Number of bytes that wait for a connection, or for the browser to send them. */
  readonly waiting: number
  /** Adds a listener for an event. Returns a function that removes it. */
  on<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): () => void
  /**
   * Sends a message: bytes, or with the option text a string. Returns false if there is no room or the socket is closed. The
   * caller may reuse the bytes at once.
   */
  send(message: ArrayBuffer | ArrayBufferView | string): boolean
  /**
   * Closes the socket with a close frame. The code must be 1000 or 3000 to 4999, the reason at most 123 bytes long. Messages
   * sent while connected leave first; messages that wait for a connection are dropped. No further messages are received. If
   * there is a connection, the event disconnected follows when it has ended.
   */
  close(code?: number, reason?: string): void
}

/** Splits a byte stream with length prefixes into messages, as used on tcp and in prefixed framing. */
export class Decoder {
  /** maxMessage is as in Options. */
  constructor(maxMessage?: number)
  /** Whether the stream is between two messages and may end here. */
  readonly between: boolean
  /**
   * Reads the next bytes of the stream and yields the messages that they complete, which may be views of bytes. Throws a
   * RangeError with the property length for a message above the limit; the stream cannot be used any further then.
   */
  push(bytes: Uint8Array): Generator<Uint8Array, void>
}

/** Returns the message with its length prefix. */
export function encode(message: Uint8Array): Uint8Array
