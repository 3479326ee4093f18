// Entry points whose outputs share no memory with another argument, nor with what a table keeps of earlier calls: a
// kernel trusts the inputs that were checked, so that none may be written to while it runs.
#pragma once

#include "bind/binding.hpp"

namespace bitsieve {

class ArgumentExtents;
template <class T>
void take_kept(const T&, ArgumentExtents&) {}  // nothing, but of what has a function of its own

// The memory of the arrays of one call, and of those that its table keeps.
class ArgumentExtents {
public:
    template <class T>
    void take(const T& other) {
        take_kept(other, *this);
    }
    void take(PackedTable&) {}  // the call itself writes to it
    void take(const PackedTable& table) {
        if (!table.has_storage()) return;
        keep(table.planes(), table.plane_words());
        keep(table.wide(), table.wide_codes());
    }
    template <class T>
    void keep(const T* first, std::int64_t size) {
        if (size == 0) return;
        const auto low = reinterpret_cast<std::uintptr_t>(first);
        ranges_.push_back({low, low + std::uintptr_t(size) * sizeof(T), false});
    }

    template <class... Of>
    void take(const NoConvertArray<Of...>& array) {
        if (array.size() == 0) return;
        const auto first = reinterpret_cast<std::uintptr_t>(array.data());
        AddressRange extent{first, first + array.itemsize(),
                            !std::is_const_v<std::remove_pointer_t<decltype(array.data())>>};
        for (std::size_t k = 0; k < array.ndim(); ++k) {
            const std::int64_t reach =
                (std::int64_t(array.shape(k)) - 1) * array.stride(k) * std::int64_t(array.itemsize());
            (reach < 0 ? extent.low : extent.high) += std::uintptr_t(reach);
        }
        ranges_.push_back(extent);
    }
    template <class T>
    void take(const std::optional<T>& given) {
        if (given) take(*given);
    }
    template <class T>
    void take(const std::vector<T>& given) {
        for (const T& one : given) take(one);
    }
    template <class... T>
    void take(const std::variant<T...>& given) {
        std::visit([this](const auto& one) { take(one); }, given);
    }

    void require_disjoint() const {
        for (const AddressRange& out : ranges_)
            for (const AddressRange& other : ranges_)
                require(!out.written || &out == &other || out.high <= other.low || other.high <= out.low,
                        "an output shares memory with another array of the call, or of the table: give it an array of "
                        "its own");
    }

private:
    struct AddressRange {
        std::uintptr_t low, high;
        bool written;
    };
    std::vector<AddressRange> ranges_;
};

// The entry point `call` behind that check.
template <class Result, class... Arguments>
auto with_alias_check(Result (*call)(Arguments...)) {
    return [call](Arguments... arguments) -> Result {
        ArgumentExtents memory;
        (memory.take(arguments), ...);
        memory.require_disjoint();
        return call(static_cast<Arguments&&>(arguments)...);
    };
}

}  // namespace bitsieve
