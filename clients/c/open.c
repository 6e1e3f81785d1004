/* Opens TCP connections and makes the WebSocket handshake (RFC 6455 section 4). */
#define _POSIX_C_SOURCE 200809L
#include "open.h"

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

enum { HANDSHAKE = 10 }; /* timeout of each step in seconds */

int ss_chance(void *p, size_t n) {
  FILE *f = fopen("/dev/urandom", "rb");
  int ok = f != NULL && fread(p, 1, n, f) == n;
  if (f != NULL) fclose(f);
  return ok;
}

static uint32_t turn(uint32_t x, int n) { return x << n | x >> (32 - n); }

static uint32_t word(const unsigned char *p) { return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3]; }

/* sha1 is RFC 3174's, of at most 119 bytes. */
static void sha1(const char *p, size_t n, unsigned char sum[20]) {
  uint32_t h[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0}, w[80];
  unsigned char b[128] = {0};
  size_t size = n < 56 ? 64 : 128;
  memcpy(b, p, n);
  b[n] = 0x80, b[size - 2] = (unsigned char)(n >> 5), b[size - 1] = (unsigned char)(n << 3);
  for (size_t at = 0; at < size; at += 64) {
    for (int i = 0; i < 80; i++) w[i] = i < 16 ? word(b + at + 4 * i) : turn(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
    uint32_t a = h[0], x = h[1], c = h[2], d = h[3], e = h[4];
    for (int i = 0; i < 80; i++) {
      uint32_t f = i < 20   ? ((x & c) | (~x & d)) + 0x5a827999
                   : i < 40 ? (x ^ c ^ d) + 0x6ed9eba1
                   : i < 60 ? ((x & c) | (x & d) | (c & d)) + 0x8f1bbcdc
                            : (x ^ c ^ d) + 0xca62c1d6;
      f += turn(a, 5) + e + w[i];
      e = d, d = c, c = turn(x, 30), x = a, a = f;
    }
    h[0] += a, h[1] += x, h[2] += c, h[3] += d, h[4] += e;
  }
  for (int i = 0; i < 20; i++) sum[i] = (unsigned char)(h[i / 4] >> (24 - 8 * (i % 4)));
}

static void base64(const unsigned char *p, size_t n, char *to) {
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (size_t i = 0; i < n; i += 3) {
    uint32_t v = (uint32_t)p[i] << 16 | (i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0) | (i + 2 < n ? p[i + 2] : 0);
    for (int k = 0; k < 4; k++) *to++ = i + (size_t)k > n ? '=' : digits[v >> (18 - 6 * k) & 63];
  }
  *to = 0;
}

/* field returns the value of a header field, which extends to the end of the line, or NULL if there is none. */
static const char *field(const char *head, const char *name) {
  for (const char *p = head; (p = strstr(p, "\r\n")) != NULL;) {
    p += 2;
    if (strncasecmp(p, name, strlen(name)) != 0 || p[strlen(name)] != ':') continue;
    for (p += strlen(name) + 1; *p == ' ' || *p == '\t';) p++;
    return p;
  }
  return NULL;
}

static const char *handshake(int fd, const char *authority, const char *path) {
  unsigned char nonce[16], sum[20];
  char key[64], proof[32], text[2048], head[8192];
  if (!ss_chance(nonce, sizeof nonce)) return "no random numbers";
  base64(nonce, sizeof nonce, key);
  int n = snprintf(text, sizeof text,
                   "GET %s HTTP/1.1\r\nHost: %s\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                   "Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n\r\n",
                   path, authority, key);
  if (send(fd, text, (size_t)n, MSG_NOSIGNAL) != n) return "the handshake could not be sent";
  size_t size = 0; /* read byte by byte, so as not to read beyond the head */
  while (size < 4 || memcmp(head + size - 4, "\r\n\r\n", 4) != 0)
    if (size == sizeof head - 1 || recv(fd, head + size++, 1, 0) != 1) return "no response to the handshake";
  head[size] = 0;
  strcat(key, "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"); /* 4.2.2 */
  sha1(key, strlen(key), sum);
  base64(sum, sizeof sum, proof);
  const char *upgrade = field(head, "Upgrade"), *accept = field(head, "Sec-WebSocket-Accept");
  if (strncmp(head, "HTTP/1.1 101", 12) != 0) return "the handshake is refused";
  if (upgrade == NULL || strncasecmp(upgrade, "websocket", 9) != 0) return "the response is not WebSocket's";
  if (accept == NULL || strcspn(accept, " \t\r") != strlen(proof) || strncmp(accept, proof, strlen(proof)) != 0)
    return "the response is to another handshake";
  if (field(head, "Sec-WebSocket-Extensions") != NULL) return "the response chooses what was not offered";
  return NULL;
}

static int dial(const char *host, const char *port, const char **error) {
  struct addrinfo hints = {.ai_socktype = SOCK_STREAM}, *all;
  int fd = -1, failed = getaddrinfo(host, port, &hints, &all);
  *error = failed ? gai_strerror(failed) : "the connection could not be opened";
  if (failed) return -1;
  for (struct addrinfo *a = all; a != NULL && fd < 0; a = a->ai_next) {
    if ((fd = socket(a->ai_family, a->ai_socktype, a->ai_protocol)) < 0) continue;
    if (connect(fd, a->ai_addr, a->ai_addrlen) != 0) close(fd), fd = -1;
  }
  freeaddrinfo(all);
  return fd;
}

int ss_open(const char *url, int *framed, const char **error) {
  char scheme[4], host[256], port[6], path[1024] = "/", authority[272];
  if (sscanf(url, "%3[a-z]://%255[^]:/[]:%5[0-9]%1023s", scheme, host, port, path) < 3 &&
      sscanf(url, "%3[a-z]://[%255[0-9a-fA-F:]]:%5[0-9]%1023s", scheme, host, port, path) < 3)
    return *error = "the URL is not tcp://HOST:PORT or ws://HOST:PORT[/PATH]", -1;
  *framed = strcmp(scheme, "ws") == 0;
  if (!*framed && strcmp(scheme, "tcp") != 0) return *error = "the transport is neither tcp nor ws", -1;
  int fd = dial(host, port, error), one = 1;
  if (fd < 0) return -1;
  setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
  struct timeval wait = {.tv_sec = HANDSHAKE}, none = {0};
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof wait);
  snprintf(authority, sizeof authority, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
  if (*framed && (*error = handshake(fd, authority, path)) != NULL) return close(fd), -1;
  setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &none, sizeof none);
  return fd;
}
