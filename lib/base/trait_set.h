// A set of enum values that have names in files.
#ifndef DOUBLEHOLD_LIB_BASE_TRAIT_SET_H_
#define DOUBLEHOLD_LIB_BASE_TRAIT_SET_H_

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace doublehold {

// The values of `Trait` are 0 to at most 31. NamesOfAll(Trait) returns their names in this order.
template <typename Trait>
class TraitSet {
 public:
  constexpr TraitSet() = default;
  constexpr TraitSet(std::initializer_list<Trait> traits) {
    for (const Trait trait : traits) Add(trait);
  }
  constexpr void Add(Trait trait) { bits_ |= Bit(trait); }
  [[nodiscard]] constexpr bool Has(Trait trait) const { return (bits_ & Bit(trait)) != 0; }
  [[nodiscard]] constexpr bool HasAny(TraitSet of) const { return (bits_ & of.bits_) != 0; }
  [[nodiscard]] std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const std::span<const std::string_view> all = NamesOfAll(Trait{});
    for (size_t i = 0; i < all.size(); ++i) {
      if (Has(static_cast<Trait>(i))) names.emplace_back(all[i]);
    }
    return names;
  }
  // Returns nothing when a name is not the name of a trait.
  static std::optional<TraitSet> FromNames(const std::vector<std::string>& names) {
    TraitSet traits;
    const std::span<const std::string_view> all = NamesOfAll(Trait{});
    for (const std::string& name : names) {
      size_t i = 0;
      while (i < all.size() && all[i] != name) ++i;
      if (i == all.size()) return std::nullopt;
      traits.Add(static_cast<Trait>(i));
    }
    return traits;
  }
  bool operator==(const TraitSet&) const = default;

 private:
  static constexpr uint32_t Bit(Trait trait) { return 1U << static_cast<uint32_t>(trait); }
  uint32_t bits_ = 0;
};

}  // namespace doublehold

#endif  // DOUBLEHOLD_LIB_BASE_TRAIT_SET_H_
