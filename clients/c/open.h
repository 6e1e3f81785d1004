/* What streamsock.c needs to connect. */
#include <stddef.h>

/* Opens a connection, with the handshake of WebSocket if the URL says ws. Returns its descriptor, or -1 and why. */
int ss_open(const char *url, int *framed, const char **error);
/* Fills p with n random bytes. Returns 0 if there are none. */
int ss_chance(void *p, size_t n);
