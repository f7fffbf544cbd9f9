#include <torch/script.h>
#include <functional>
#include <sstream>
#include <string>
#include <unordered_map>

struct Request {
  std::string path;
  std::vector<float> values;
};

// One process per model; a reverse proxy stands in front.
class ModelServer {
 public:
  explicit ModelServer(const std::string& file) : module_(torch::jit::load(file)) {
    module_.eval();
    handlers_["/health"] = [](const Request&) { return std::string("ok"); };
    handlers_["/predict"] = [this](const Request& r) { return predict(r); };
  }

  std::string handle(const Request& r) {
    auto found = handlers_.find(r.path);
    if (found == handlers_.end()) return "404";
    try {
      return found->second(r);
    } catch (const std::exception& e) {
      return std::string("500 ") + e.what();
    }
  }

 private:
  std::string predict(const Request& r) {
    auto input = torch::tensor(r.values).unsqueeze(0);
    auto scores = module_.forward({input}).toTensor().softmax(1).squeeze(0);  // EXPECT: missing-no-grad
    std::ostringstream json;
    json << "[";
    for (int64_t i = 0; i < scores.size(0); ++i) json << (i ? "," : "") << scores[i].item<float>();
    json << "]";
    return json.str();
  }

  torch::jit::script::Module module_;
  std::unordered_map<std::string, std::function<std::string(const Request&)>> handlers_;
};

int main(int argc, char** argv) {
  ModelServer server(argv[1]);
  extern bool next_request(Request&);
  extern void answer(const std::string&);
  Request r;
  while (next_request(r)) answer(server.handle(r));
}
