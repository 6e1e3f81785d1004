/* Implements docs/wire/streamsock.md. Section numbers are those of RFC 6455. */
#define _POSIX_C_SOURCE 200809L
#include "streamsock.h"

#include "open.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { CONTINUATION, TEXT, BINARY, CLOSE = 8, PING, PONG };
enum { LINGER = 5 }; /* seconds that the peer has for ending its side after ours */

typedef struct {
  unsigned char *data;
  size_t size, room;
} bytes;

struct ss_conn {
  int fd, framed; /* framed: ws */
  ss_options options;
  ss_end end;
  bytes message, control;
  int begun;            /* part of the next message of a byte stream has arrived */
  int opcode, fin;      /* of the current message; fin: its last frame */
  uint64_t left;        /* prefixed: remaining bytes of the current frame */
  unsigned char in[65536];
  size_t at, have;
};

/* over records how the connection ended. It returns 0, the result of every function that fails. */
static int over(ss_conn *c, const char *reason, int code, const char *text) {
  c->end.reason = reason;
  c->end.code = c->framed ? code : 0;
  snprintf(c->end.text, sizeof c->end.text, "%s", text);
  return 0;
}

/* append appends n bytes. Memory grows with the bytes received, not with the announced length. */
static int append(bytes *b, const void *data, size_t n) {
  if (b->room - b->size < n) {
    size_t room = b->room * 2 > b->size + n ? b->room * 2 : b->size + n + 64;
    unsigned char *more = realloc(b->data, room);
    if (more == NULL) return 0;
    b->data = more, b->room = room;
  }
  if (n > 0) memcpy(b->data + b->size, data, n);
  b->size += n;
  return 1;
}

/* take reads the next n bytes of the connection and appends them to b. */
static int take(ss_conn *c, bytes *b, uint64_t n) {
  while (n > 0) {
    if (c->at == c->have) {
      ssize_t k;
      while ((k = recv(c->fd, c->in, sizeof c->in, 0)) < 0 && errno == EINTR) {}
      if (k < 0) return over(c, "reset", 1006, strerror(errno));
      if (k == 0) return over(c, c->framed || c->begun ? "truncated" : "eof", 1006, "");
      c->at = 0, c->have = (size_t)k;
    }
    size_t k = c->have - c->at < n ? c->have - c->at : (size_t)n;
    if (!append(b, c->in + c->at, k)) return over(c, "local", 1011, "no memory");
    c->at += k, n -= k, c->begun |= !c->framed;
  }
  return 1;
}

static int transmit(ss_conn *c, const unsigned char *p, size_t n) {
  while (n > 0) {
    ssize_t k = send(c->fd, p, n, MSG_NOSIGNAL);
    if (k < 0 && errno != EINTR) return 0;
    if (k > 0) p += k, n -= (size_t)k;
  }
  return 1;
}

static uint64_t number(const unsigned char *p, int n) { /* big-endian */
  uint64_t v = 0;
  while (n-- > 0) v = v << 8 | *p++;
  return v;
}

static void put(unsigned char *p, uint64_t v, int n) {
  while (n-- > 0) p[n] = (unsigned char)v, v >>= 8;
}

/* frame sends p in one frame, with prefix after its length prefix. Frames of clients are masked (5.3). */
static int frame(ss_conn *c, int opcode, const void *p, size_t size, int prefix) {
  size_t n = size + (prefix ? 4 : 0), head = n < 126 ? 2 : n < 65536 ? 4 : 10;
  unsigned char *b = malloc(head + 4 + n), *key = b + head, *payload = key + 4;
  if (b == NULL || !ss_chance(key, 4)) return free(b), 0;
  b[0] = (unsigned char)(0x80 | opcode);
  b[1] = (unsigned char)(0x80 | (head == 2 ? n : head == 4 ? 126 : 127));
  put(b + 2, n, (int)head - 2);
  if (prefix) put(payload, size, 4);
  if (size > 0) memcpy(payload + n - size, p, size);
  for (size_t i = 0; i < n; i++) payload[i] ^= key[i % 4];
  int ok = transmit(c, b, head + 4 + n);
  return free(b), ok;
}

/* utf8 reports whether p is valid UTF-8 (RFC 3629), as text must be (8.1). */
static int utf8(const unsigned char *p, size_t n) {
  for (size_t i = 0, more; i < n; i += more + 1) {
    more = p[i] < 0x80 ? 0 : p[i] < 0xc2 ? 4 : p[i] < 0xe0 ? 1 : p[i] < 0xf0 ? 2 : p[i] < 0xf5 ? 3 : 4;
    if (more == 4 || n - i <= more) return 0;
    for (size_t k = 1; k <= more; k++)
      if ((p[i + k] & 0xc0) != 0x80) return 0;
    if ((p[i] == 0xe0 && p[i + 1] < 0xa0) || (p[i] == 0xed && p[i + 1] > 0x9f)) return 0;
    if ((p[i] == 0xf0 && p[i + 1] < 0x90) || (p[i] == 0xf4 && p[i + 1] > 0x8f)) return 0;
  }
  return 1;
}

/* control handles a control frame (5.5). It returns 0 for a close frame. */
static int control(ss_conn *c, int opcode, const unsigned char *p, size_t n) {
  if (opcode == PING) frame(c, PONG, p, n, 0);
  if (opcode != CLOSE) return 1;
  int code = n < 2 ? 1005 : (int)number(p, 2);
  int known = (code >= 1000 && code <= 1014 && code != 1004 && code != 1005 && code != 1006) || (code >= 3000 && code <= 4999);
  if (n == 1 || (n > 0 && !known)) return over(c, "protocol", 1002, "a close frame with a code that may not be sent");
  if (n > 2 && !utf8(p + 2, n - 2)) return over(c, "protocol", 1007, "a reason that is not UTF-8");
  over(c, c->options.prefixed && c->begun ? "truncated" : "closed", code, "");
  if (n > 2) memcpy(c->end.text, p + 2, n - 2), c->end.text[n - 2] = 0;
  return 0;
}

/* header reads the header of the next data frame and sets n to the length of its payload (5.2). It handles control
   frames before it. */
static int header(ss_conn *c, uint64_t *n) {
  for (bytes *b = &c->control;;) {
    b->size = 0;
    if (!take(c, b, 2)) return 0;
    int fin = b->data[0] >> 7, opcode = b->data[0] & 15, more = 0;
    if ((b->data[0] & 0x70) || (b->data[1] & 0x80)) return over(c, "protocol", 1002, "reserved bits, or a mask");
    *n = b->data[1];
    if (*n > 125) {
      more = *n == 126 ? 2 : 8;
      if (!take(c, b, (uint64_t)more)) return 0;
      *n = number(b->data + 2, more);
    }
    if ((more == 2 && *n < 126) || (more == 8 && *n < 65536) || *n >> 63)
      return over(c, "protocol", 1002, "a length that could be shorter, or is no length");
    if (opcode == CLOSE || opcode == PING || opcode == PONG) {
      if (!fin || *n > 125) return over(c, "protocol", 1002, "a control frame that is long, or cut");
      b->size = 0;
      if (!take(c, b, *n) || !control(c, opcode, b->data, b->size)) return 0;
      continue;
    }
    if (opcode > BINARY || (opcode == CONTINUATION) == c->fin)
      return over(c, "protocol", 1002, "a frame that is unknown, or out of turn");
    if (opcode == TEXT && !c->options.text) return over(c, "text", 1003, "text messages are not enabled");
    c->fin = fin;
    if (opcode != CONTINUATION) c->opcode = opcode;
    return 1;
  }
}

static int fits(ss_conn *c, uint64_t n) {
  if (c->options.max_message == 0 || n <= c->options.max_message) return 1;
  c->end.length = (uint32_t)n;
  return over(c, "too-large", 1009, "the message is too large");
}

/* one_to_one reads a message that is a WebSocket message. */
static int one_to_one(ss_conn *c) {
  bytes *m = &c->message;
  m->size = 0;
  do {
    uint64_t n;
    if (!header(c, &n) || !fits(c, m->size + n) || !take(c, m, n)) return 0;
  } while (!c->fin);
  return c->opcode == BINARY || utf8(m->data, m->size) || over(c, "protocol", 1007, "text that is not UTF-8");
}

/* stream reads the next n bytes of the byte stream: of the connection, or in prefixed framing of the frames' payloads. */
static int stream(ss_conn *c, uint64_t n) {
  c->message.size = 0;
  if (!c->framed) return take(c, &c->message, n);
  while (n > 0) {
    while (c->left == 0)
      if (!header(c, &c->left)) return 0;
    uint64_t k = n < c->left ? n : c->left;
    if (!take(c, &c->message, k)) return 0;
    c->left -= k, n -= k, c->begun = 1;
  }
  return 1;
}

/* finish ends our side and waits for the peer to end its own: closing at once could destroy data in transit. */
static void finish(ss_conn *c) {
  const ss_end *e = &c->end;
  unsigned char p[125];
  size_t n = strcmp(e->reason, "closed") && strcmp(e->reason, "truncated") ? strlen(e->text) : 0;
  put(p, (uint64_t)e->code, 2);
  memcpy(p + 2, e->text, n);
  if (c->framed && e->code != 1006) frame(c, CLOSE, p, e->code == 1005 ? 0 : n + 2, 0);
  struct timeval linger = {.tv_sec = LINGER};
  setsockopt(c->fd, SOL_SOCKET, SO_RCVTIMEO, &linger, sizeof linger);
  shutdown(c->fd, SHUT_WR);
  for (time_t began = time(NULL); recv(c->fd, c->in, sizeof c->in, 0) > 0 && time(NULL) - began <= LINGER;) {}
  close(c->fd);
  c->fd = -1;
}

ss_conn *ss_connect(const char *url, ss_options options, const char **error) {
  ss_conn *c = calloc(1, sizeof *c);
  if (c == NULL || (options.prefixed && options.text)) {
    *error = c == NULL ? "no memory" : "prefixed framing has no text";
    return free(c), NULL;
  }
  c->options = options, c->fin = 1;
  c->fd = ss_open(url, &c->framed, error);
  if (c->fd < 0) return free(c), NULL;
  return c;
}

int ss_receive(ss_conn *c, ss_message *m) {
  if (c->end.reason != NULL) return 0;
  int ok;
  c->begun = 0;
  if (c->framed && !c->options.prefixed) ok = one_to_one(c);
  else {
    ok = stream(c, 4);
    uint64_t n = ok ? number(c->message.data, 4) : 0;
    ok = ok && fits(c, n) && stream(c, n);
  }
  if (!ok) return finish(c), 0;
  m->data = c->message.data, m->size = c->message.size;
  m->text = c->framed && c->opcode == TEXT;
  return 1;
}

int ss_send(ss_conn *c, const void *data, size_t size, int text) {
  if (c->end.reason != NULL || size > UINT32_MAX || (text && !c->options.text)) return 0;
  if (c->framed) return frame(c, text ? TEXT : BINARY, data, size, c->options.prefixed);
  unsigned char length[4];
  put(length, size, 4);
  return transmit(c, length, 4) && transmit(c, data, size);
}

void ss_close(ss_conn *c, int code, const char *reason) {
  if (c->end.reason != NULL) return;
  over(c, "local", code, reason);
  finish(c);
}

const ss_end *ss_why(const ss_conn *c) { return &c->end; }

void ss_free(ss_conn *c) {
  if (c == NULL) return;
  if (c->fd >= 0) close(c->fd);
  free(c->message.data), free(c->control.data), free(c);
}
