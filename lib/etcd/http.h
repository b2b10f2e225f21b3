// HTTP/1.1 over libcurl. Only http.cc includes libcurl.
#ifndef DOUBLEHOLD_LIB_ETCD_HTTP_H_
#define DOUBLEHOLD_LIB_ETCD_HTTP_H_

#include <memory>
#include <string>
#include <tl/expected.hpp>

#include "lib/base/address.h"
#include "lib/base/time.h"

namespace doublehold {

struct HttpReply {
  long status = 0;  // for example 200
  std::string body;
};
struct HttpFailure {
  bool is_sent = false;  // whether the server may have received the request
  std::string message;
};

struct HttpRequest {
  NodeAddress server;  // a TCP address
  std::string path;
  std::string body;
  int servers = 1;  // how many may still be asked; connecting takes at most its part of the time
};

// Sends one request at a time. Keeps one connection open. Not thread-safe.
class HttpClient {
 public:
  HttpClient();
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  // Never sends the request twice.
  [[nodiscard]] tl::expected<HttpReply, HttpFailure> Post(const HttpRequest& request,
                                                          Deadline deadline);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

// A request whose reply is a stream of lines. Has a connection of its own, which the destructor
// closes. Not thread-safe.
class HttpStream {
 public:
  explicit HttpStream(const HttpRequest& request);
  ~HttpStream();
  HttpStream(const HttpStream&) = delete;
  HttpStream& operator=(const HttpStream&) = delete;

  enum class Event : uint8_t { kLine, kDeadline, kEnded };
  // Waits for the next line. kEnded: no more lines come, because the server ended the stream or an
  // error occurred.
  [[nodiscard]] Event Next(std::string& line, Deadline deadline);

 private:
  struct Handle;
  std::unique_ptr<Handle> handle_;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_ETCD_HTTP_H_
