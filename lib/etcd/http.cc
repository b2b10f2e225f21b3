#include "lib/etcd/http.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "lib/base/check.h"

namespace doublehold {
namespace {

constexpr Duration kLongestPoll = std::chrono::seconds(60);  // curl counts milliseconds in an int

// Rounds up, so that no caller loops within the last millisecond. To curl, 0 means no limit.
long MsUntil(Deadline deadline) {
  const Duration left = deadline - MonoTime(std::chrono::steady_clock::now().time_since_epoch());
  return std::clamp<long>(
      static_cast<long>(std::chrono::ceil<std::chrono::milliseconds>(left).count()), 0,
      static_cast<long>(ToMs(kLongestPoll)));
}

size_t AppendBytes(const char* bytes, size_t size, size_t count, void* into) {
  static_cast<std::string*>(into)->append(bytes, size * count);
  return size * count;
}

}  // namespace

// A request that curl is executing. Curl calls BeforeRequest when it has a connection and before it
// sends. If a kept connection breaks, curl sends the request again by itself; the second call of
// BeforeRequest stops that.
struct CurlTransfer {
  CURL* easy = curl_easy_init();
  curl_slist* headers = nullptr;
  std::string received{};
  bool is_sent = false;

  CurlTransfer() {
    CHECK(easy != nullptr);
    headers = curl_slist_append(headers, "Content-Type: application/json");
    headers = curl_slist_append(headers, "Expect:");  // no round trip before the body
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_PROXY, "");  // whatever the environment says
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, AppendBytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, &received);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, BeforeRequest);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, this);
  }
  ~CurlTransfer() {
    curl_easy_cleanup(easy);
    curl_slist_free_all(headers);
  }
  CurlTransfer(const CurlTransfer&) = delete;
  CurlTransfer& operator=(const CurlTransfer&) = delete;

  // Curl copies the texts.
  void Prepare(const HttpRequest& request) {
    CHECK(request.server.unix_path.empty());
    received.clear();
    is_sent = false;
    const std::string url =
        fmt::format("http://{}:{}{}", request.server.host, request.server.port, request.path);
    curl_easy_setopt(easy, CURLOPT_URL, url.c_str());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(request.body.size()));
    curl_easy_setopt(easy, CURLOPT_COPYPOSTFIELDS, request.body.c_str());
  }

  static int BeforeRequest(void* transfer, char*, char*, int, int) {
    return std::exchange(static_cast<CurlTransfer*>(transfer)->is_sent, true)
               ? CURL_PREREQFUNC_ABORT
               : CURL_PREREQFUNC_OK;
  }
};

struct HttpClient::Handle : CurlTransfer {};

HttpClient::HttpClient() : handle_(std::make_unique<Handle>()) {}
HttpClient::~HttpClient() = default;

tl::expected<HttpReply, HttpFailure> HttpClient::Post(const HttpRequest& request,
                                                      Deadline deadline) {
  const long left_ms = MsUntil(deadline);
  if (left_ms == 0) return tl::unexpected(HttpFailure{false, "the deadline has passed"});
  handle_->Prepare(request);
  curl_easy_setopt(handle_->easy, CURLOPT_TIMEOUT_MS, left_ms);
  curl_easy_setopt(handle_->easy, CURLOPT_CONNECTTIMEOUT_MS,
                   std::max(left_ms / request.servers, 1L));
  const CURLcode code = curl_easy_perform(handle_->easy);
  if (code != CURLE_OK) {
    return tl::unexpected(
        HttpFailure{handle_->is_sent, fmt::format("{}:{}: {}", request.server.host,
                                                  request.server.port, curl_easy_strerror(code))});
  }
  HttpReply reply{.body = std::move(handle_->received)};
  curl_easy_getinfo(handle_->easy, CURLINFO_RESPONSE_CODE, &reply.status);
  return reply;
}

struct HttpStream::Handle : CurlTransfer {
  CURLM* multi = curl_multi_init();
  bool is_running = true;

  explicit Handle(const HttpRequest& request) {
    CHECK(multi != nullptr);
    Prepare(request);
    curl_multi_add_handle(multi, easy);
  }
  ~Handle() {
    curl_multi_remove_handle(multi, easy);
    curl_multi_cleanup(multi);
  }
};

HttpStream::HttpStream(const HttpRequest& request) : handle_(std::make_unique<Handle>(request)) {}
HttpStream::~HttpStream() = default;

HttpStream::Event HttpStream::Next(std::string& line, Deadline deadline) {
  while (true) {
    int running = 0;
    if (curl_multi_perform(handle_->multi, &running) != CURLM_OK || running == 0)
      handle_->is_running = false;
    const size_t end = handle_->received.find('\n');
    if (end != std::string::npos) {
      line = handle_->received.substr(0, end);
      handle_->received.erase(0, end + 1);
      return Event::kLine;
    }
    if (!handle_->is_running) return Event::kEnded;
    const long left_ms = MsUntil(deadline);
    if (left_ms == 0) return Event::kDeadline;
    curl_multi_poll(handle_->multi, nullptr, 0, static_cast<int>(left_ms), nullptr);
  }
}

}  // namespace doublehold
