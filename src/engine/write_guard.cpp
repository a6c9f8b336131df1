#include "engine/write_guard.hpp"

namespace resonio::engine {

WriteGuard::WriteGuard(comm::Comm& comm) : comm_(comm) {
  covers_all_ = comm.size() == 1;
  if (comm.size() == 1) return;
  memory_ = comm.share(sizeof(Words));
  if (!memory_) return;
  words_ = reinterpret_cast<Words*>(memory_->base());
  covers_all_ = comm.nodes().nodes() == 1;
}

template <class Ready>
void WriteGuard::wait(Ready ready) {
  comm::wait_until(words_->changed, comm_, ready);
}

// Each side announces itself before it looks at the other (sequentially consistent), so at
// least one of two sees the other.
WriteGuard::Plain::Plain(WriteGuard& guard, Direction direction)
    : words_(direction == Direction::write ? guard.words_ : nullptr) {
  if (words_ == nullptr) return;
  for (;;) {
    words_->plain.fetch_add(1);
    if (words_->rewriter.load() == 0) return;
    words_->plain.fetch_sub(1);
    words_->changed.add();
    guard.wait([&] { return words_->rewriter.load() == 0; });
  }
}

WriteGuard::Plain::~Plain() {
  if (words_ == nullptr) return;
  words_->plain.fetch_sub(1);
  if (words_->rewriter.load() != 0) words_->changed.add();
}

WriteGuard::Exclusive::Exclusive(WriteGuard& guard) : guard_(guard) {
  Words* words = guard_.words_;
  if (words == nullptr) return;
  guard_.wait([&] {
    std::uint32_t nobody = 0;
    return words->rewriter.compare_exchange_strong(nobody, 1);
  });
  guard_.wait([&] { return words->plain.load() == 0; });
}

WriteGuard::Exclusive::~Exclusive() {
  Words* words = guard_.words_;
  if (words == nullptr) return;
  words->rewriter.store(0);
  words->changed.add();
}

}  // namespace resonio::engine
