/* A client of Shockwave's routing-id sockets over tcp and ws. It needs only POSIX sockets. Calls block, and a broken
   connection is not dialled again. A connection may be used by one thread at a time. */
#ifndef STREAMSOCK_H
#define STREAMSOCK_H

#include <stddef.h>
#include <stdint.h>

typedef struct ss_conn ss_conn;

typedef struct {
  int prefixed;         /* ws: prefixed framing, which both ends must use; not with text */
  int text;             /* ws: allow text messages; without it, text ends the connection */
  uint32_t max_message; /* maximum length in bytes of a received message; 0: no limit */
} ss_options;

typedef struct {
  const unsigned char *data; /* valid until the next call */
  size_t size;
  int text; /* a text message (valid UTF-8) */
} ss_message;

/* How a connection ended; docs/wire/streamsock.md has the reasons. */
typedef struct {
  const char *reason; /* eof, closed, truncated, reset, too-large, text, protocol or local; NULL: not ended */
  int code;           /* ws: of the close frame, the peer's or ours; 0 on tcp */
  uint32_t length;    /* of a refused message */
  char text[124];
} ss_end;

/* Connects to tcp://HOST:PORT or ws://HOST:PORT[/PATH]. Returns NULL and sets error on failure. */
ss_conn *ss_connect(const char *url, ss_options options, const char **error);
/* Sends a message; with text, as a ws text message. Returns 0 if the connection has ended. */
int ss_send(ss_conn *c, const void *data, size_t size, int text);
/* Waits for the next message. Returns 0 when the connection has ended; ss_why says why. */
int ss_receive(ss_conn *c, ss_message *m);
/* Closes the connection, on ws with a close frame with code and reason. */
void ss_close(ss_conn *c, int code, const char *reason);
const ss_end *ss_why(const ss_conn *c);
void ss_free(ss_conn *c); /* c may be NULL */

#endif
