/* Internal functions of streamsock.c for opening connections. */
#include <stddef.h>

/* Opens a connection, and makes the WebSocket handshake for a ws URL. Returns the descriptor, or -1 and sets error. */
int ss_open(const char *url, int *framed, const char **error);
/* Fills p with n random bytes. Returns 0 on failure. */
int ss_chance(void *p, size_t n);
