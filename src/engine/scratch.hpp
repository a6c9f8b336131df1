#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

namespace resonio::engine {

/// A buffer kept from call to call: fresh memory costs a page fault for every 4 KiB. Its
/// content is undefined.
class Scratch {
 public:
  std::byte* get(std::int64_t bytes) {
    if (bytes > size_) {
      data_.reset();
      data_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
      size_ = bytes;
    }
    return data_.get();
  }

 private:
  std::unique_ptr<std::byte[]> data_;
  std::int64_t size_ = 0;
};

}  // namespace resonio::engine
