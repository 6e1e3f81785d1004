/** What WebSocket's constructor is given, and what a Socket does. Every field may be left out. */
export interface Options {
  /** Binary messages carry the byte stream of tcp, whose messages have lengths. Both ends must say so. Default false. */
  prefixed?: boolean
  /** Strings are sent, and text is taken. Without it text ends the connection. Not with prefixed. Default false. */
  text?: boolean
  /** The most bytes that a message of the peer may have, 0: any number. Default 16 MiB. */
  maxMessage?: number
  /**
   * How many bytes may wait: for a connection, or behind what the browser has not sent yet. One message may always wait.
   * Default 4 MiB.
   */
  queueBytes?: number
  /** How many messages may wait for a connection. Default 1,000. */
  queueMessages?: number
  /**
   * The first and the longest wait in milliseconds before the connection is dialled again. Each is twice the one before,
   * less up to a half by chance. A negative redialFirst dials once. Default: 100 and 5,000.
   */
  redialFirst?: number
  redialLongest?: number
  /** For how many milliseconds a connection may be opened, 0: as long as it takes. Default 10,000. */
  handshake?: number
  /** WebSocket's subprotocols, best first. */
  subprotocols?: string[]
  /** The class to use. Default: the one of the browser, or of Node.js since version 22. */
  WebSocket?: new (url: string, protocols?: string[]) => any
}

export type Reason =
  /** The peer has sent a close frame: code and text are its. */
  | 'closed'
  /** The connection broke: no close frame came (1006), or it came inside a message of the prefixed stream. */
  | 'truncated'
  /** The peer sent a message longer than maxMessage. It is told 4009, as a page may not send 1009. */
  | 'too-large'
  /** The peer sent text, which is not taken. It is told 4003, as a page may not send 1003. */
  | 'text'
  /** close was called. */
  | 'local'

/** How a connection ended. */
export interface End {
  reason: Reason
  /** The code of the close frame, the peer's or ours. 1005: it had none; 1006: there was no close frame. */
  code: number
  text: string
  /** With too-large: the length that was refused. */
  length?: number
  /** It will be dialled again. */
  returns: boolean
}

export interface Events {
  /** The first connection. What waited for it has been sent before. */
  connected: { subprotocol: string }
  /** Every other one. */
  reconnected: { subprotocol: string }
  /** A string only with text. The bytes may be a part of a larger buffer: mind byteOffset. They are the listener's. */
  message: Uint8Array | string
  /** A connection is over: once for each, behind all its messages. */
  disconnected: End
  /** A connection could not be opened. In wait milliseconds it is tried again; 0: it is not. */
  failed: { wait: number }
}

/**
 * A connection to a routing-id socket over ws or wss, which is dialled again whenever it breaks, until close. What is sent
 * meanwhile waits in a bounded queue. What was on the wire when it broke may be lost; nothing comes twice, or cut.
 */
export class Socket {
  constructor(url: string | URL, options?: Options)
  /** 'away': it was connected, and will be dialled again. */
  readonly state: 'connecting' | 'connected' | 'away' | 'closed'
  /** How many bytes wait: for a connection, or in the browser to be sent. */
  readonly waiting: number
  /** Has listener called with each event of that name, and returns a function that ends that. */
  on<E extends keyof Events>(event: E, listener: (value: Events[E]) => void): () => void
  /**
   * Sends a message: bytes, or with text a string. False: there is no room, or the socket is closed. The bytes may be used
   * again at once.
   */
  send(message: ArrayBuffer | ArrayBufferView | string): boolean
  /**
   * Ends the socket with a close frame: code 1000 or 3000 to 4999, a reason of at most 123 bytes. What was sent while
   * connected leaves first, what waits for a connection is dropped. No message comes any more; disconnected tells when the
   * connection, if there is one, is over.
   */
  close(code?: number, reason?: string): void
}

/** Cuts a byte stream into messages: the prefixed framing, and that of tcp. */
export class Decoder {
  /** maxMessage as in Options. */
  constructor(maxMessage?: number)
  /** Whether the stream may end here: no message has begun. */
  readonly between: boolean
  /**
   * Takes the next bytes and yields the messages that they complete, which may be parts of bytes. A length above the limit
   * throws a RangeError with that length; the stream is of no use then.
   */
  push(bytes: Uint8Array): Generator<Uint8Array, void>
}

/** Returns a message behind its length. */
export function encode(message: Uint8Array): Uint8Array
