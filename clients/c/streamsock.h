/* A client of Shockwave's routing-id sockets over tcp and ws, on POSIX sockets and nothing else. It blocks, and does not
   dial again. One thread at a time may use a connection; different threads may use different ones. */
#ifndef STREAMSOCK_H
#define STREAMSOCK_H

#include <stddef.h>
#include <stdint.h>

typedef struct ss_conn ss_conn;

typedef struct {
  int prefixed;         /* ws carries the byte stream of tcp; both ends must say so, and there is no text then */
  int text;             /* text of ws is taken; without it, it ends the connection */
  uint32_t max_message; /* the most bytes that a message of the peer may have; 0: any number */
} ss_options;

typedef struct {
  const unsigned char *data; /* until the next call */
  size_t size;
  int text; /* it is UTF-8 */
} ss_message;

/* How a connection ended; docs/wire/streamsock.md has the reasons. */
typedef struct {
  const char *reason; /* eof, closed, truncated, reset, too-large, text, protocol or local; NULL: it has not */
  int code;           /* of ws: the peer's, or what it was told; 0 on tcp */
  uint32_t length;    /* that was refused */
  char text[124];
} ss_end;

/* Connects to tcp://HOST:PORT or ws://HOST:PORT[/PATH]. NULL: error says why. */
ss_conn *ss_connect(const char *url, ss_options options, const char **error);
/* Sends a message, on ws with text as text. Returns 0 if the connection is over. */
int ss_send(ss_conn *c, const void *data, size_t size, int text);
/* Waits for the next message. Returns 0 at the end: ss_why says why. */
int ss_receive(ss_conn *c, ss_message *m);
/* Ends the connection: the peer sees a close frame with code and reason, or FIN. */
void ss_close(ss_conn *c, int code, const char *reason);
const ss_end *ss_why(const ss_conn *c);
void ss_free(ss_conn *c); /* c may be NULL */

#endif
