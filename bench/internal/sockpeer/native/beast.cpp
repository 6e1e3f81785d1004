// Boost.Asio and Boost.Beast as a peer of the suite sockets: blocking, with a thread for each connection, as in their tutorials.
// Over tcp and tls, a message is preceded by its length, four bytes in network order. Over ws and wss it is a WebSocket message.
// The protocol is in talk.h.
#include <arpa/inet.h>
#include <boost/asio.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/version.hpp>
#include <boost/beast/websocket.hpp>
#include <boost/beast/websocket/ssl.hpp>
#include <boost/version.hpp>
#include <iostream>
#include <list>
#include <mutex>
#include <openssl/opensslv.h>
#include <thread>

#include "talk.h"

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace ws = boost::beast::websocket;
using tcp = asio::ip::tcp;
using secure = asio::ssl::stream<tcp::socket>;

// Link is a connection that carries messages.
struct Link {
  virtual ~Link() = default;
  virtual void send(const char *p, size_t n) = 0;
  virtual talk_bytes receive() = 0; // valid until the next call
};

template <class Stream> struct Prefixed : Link {
  explicit Prefixed(Stream s) : stream(std::move(s)) {}

  void send(const char *p, size_t n) override {
    uint32_t head = htonl(static_cast<uint32_t>(n));
    std::array<asio::const_buffer, 2> both{asio::buffer(&head, sizeof head), asio::buffer(p, n)};
    asio::write(stream, both);
  }

  talk_bytes receive() override {
    uint32_t head;
    asio::read(stream, asio::buffer(&head, sizeof head));
    room.resize(ntohl(head));
    asio::read(stream, asio::buffer(room));
    return {room.data(), room.size()};
  }

  Stream stream;
  std::vector<char> room;
};

template <class Stream> struct Framed : Link {
  explicit Framed(ws::stream<Stream> s) : stream(std::move(s)) { stream.binary(true); }

  void send(const char *p, size_t n) override { stream.write(asio::buffer(p, n)); }

  talk_bytes receive() override {
    room.consume(room.size());
    stream.read(room);
    return {static_cast<const char *>(room.data().data()), room.size()};
  }

  ws::stream<Stream> stream;
  beast::flat_buffer room;
};

// Room is the connections that receive broadcasts.
struct Room {
  std::mutex mu;
  std::list<Link *> members;

  void tell(const talk_bytes &m) {
    std::lock_guard<std::mutex> lock(mu);
    for (Link *l : members) l->send(m.p, m.n);
  }
};

static Room room;

static void converse(Link &link) {
  for (;;) {
    talk_bytes order = link.receive();
    if (talk_is(order, "room")) {
      {
        std::lock_guard<std::mutex> lock(room.mu);
        room.members.push_back(&link);
      }
      for (;;) room.tell(link.receive());
    }
    bool echo = talk_is(order, "echo");
    talk_account a = talk_begin();
    for (;;) {
      talk_bytes m = link.receive();
      if (m.n == 0) break;
      talk_check(&a, m);
      if (echo) link.send(m.p, m.n);
    }
    char said[128];
    link.send(said, talk_report(&a, said, sizeof said));
  }
}

static void serve_one(tcp::socket socket, const std::string &transport, asio::ssl::context &tls) {
  socket.set_option(tcp::no_delay(true));
  std::unique_ptr<Link> link;
  if (transport == "tcp") {
    link = std::make_unique<Prefixed<tcp::socket>>(std::move(socket));
  } else if (transport == "ws") {
    ws::stream<tcp::socket> s(std::move(socket));
    s.accept();
    link = std::make_unique<Framed<tcp::socket>>(std::move(s));
  } else {
    secure inner(std::move(socket), tls);
    inner.handshake(secure::server);
    if (transport == "tls") {
      link = std::make_unique<Prefixed<secure>>(std::move(inner));
    } else {
      ws::stream<secure> s(std::move(inner));
      s.accept();
      link = std::make_unique<Framed<secure>>(std::move(s));
    }
  }
  try {
    converse(*link);
  } catch (...) {
    std::lock_guard<std::mutex> lock(room.mu);
    room.members.remove(link.get());
  }
}

static int serve(const std::string &transport, const std::string &dir) {
  asio::io_context io;
  asio::ssl::context tls(asio::ssl::context::tls_server);
  if (transport == "tls" || transport == "wss") {
    tls.use_certificate_chain_file(dir + "/certificate.pem");
    tls.use_private_key_file(dir + "/key.pem", asio::ssl::context::pem);
  }
  tcp::acceptor acceptor(io, {asio::ip::make_address("127.0.0.1"), 0}, true);
  acceptor.listen(4096);
  std::cout << acceptor.local_endpoint() << std::endl;
  for (;;) {
    tcp::socket socket = acceptor.accept();
    std::thread([&, s = std::move(socket)]() mutable {
      try {
        serve_one(std::move(s), transport, tls);
      } catch (const std::exception &) { // the handshake failed or the connection ended
      }
    }).detach();
  }
}

static void send_to(void *link, const char *p, size_t n) { static_cast<Link *>(link)->send(p, n); }
static talk_bytes receive_from(void *link) { return static_cast<Link *>(link)->receive(); }

static int drive(const std::string &transport, const std::string &host, const std::string &port, const talk_task &task) {
  asio::io_context io;
  asio::ssl::context tls(asio::ssl::context::tls_client);
  SSL_CTX_set_ciphersuites(tls.native_handle(), "TLS_AES_128_GCM_SHA256"); // Go's choice, so that all do the same work
  tcp::socket socket(io);
  socket.connect({asio::ip::make_address(host), static_cast<unsigned short>(std::stoi(port))});
  socket.set_option(tcp::no_delay(true));
  std::unique_ptr<Link> link;
  if (transport == "tcp") {
    link = std::make_unique<Prefixed<tcp::socket>>(std::move(socket));
  } else if (transport == "ws") {
    ws::stream<tcp::socket> s(std::move(socket));
    s.handshake(host, "/");
    link = std::make_unique<Framed<tcp::socket>>(std::move(s));
  } else {
    secure inner(std::move(socket), tls);
    inner.handshake(secure::client);
    if (transport == "tls") {
      link = std::make_unique<Prefixed<secure>>(std::move(inner));
    } else {
      ws::stream<secure> s(std::move(inner));
      s.handshake(host, "/");
      link = std::make_unique<Framed<secure>>(std::move(s));
    }
  }
  talk_drive(&task, link.get(), send_to, receive_from);
  return 0;
}

int main(int argc, char **argv) try {
  if (argc == 2) {
    std::cout << BOOST_LIB_VERSION << " with " << OPENSSL_VERSION_TEXT << std::endl;
    return 0;
  }
  if (argc == 4 && std::string(argv[1]) == "serve") return serve(argv[2], argv[3]);
  if (argc == 8) {
    return drive(argv[2], argv[3], argv[4], talk_task{argv[5], size_t(std::stoul(argv[6])), std::stod(argv[7])});
  }
  std::cerr << "beast serve TRANSPORT DIR | beast drive TRANSPORT HOST PORT TASK SIZE SECONDS\n";
  return 2;
} catch (const std::exception &e) {
  std::cerr << "beast: " << e.what() << std::endl;
  return 1;
}
