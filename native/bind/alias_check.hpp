// The check that an output of an entry point shares no memory with another argument, nor with an array that a table
// keeps from earlier calls. Kernels trust inputs that were checked once, so none may be written to while they run.
#pragma once

#include "bind/binding.hpp"

namespace bitsieve {

class ArgumentExtents;
template <class T>
void add_kept_arrays(const T&, ArgumentExtents&) {}  // overloaded by the classes that keep arrays

// The address ranges of the arrays of one call, and of those that its table keeps.
class ArgumentExtents {
public:
    template <class T>
    void add(const T& other) {
        add_kept_arrays(other, *this);
    }
    void add(PackedTable&) {}  // the call itself writes to it
    void add(const PackedTable& table) {
        if (!table.has_storage()) return;
        add_range(table.planes(), table.plane_words());
        add_range(table.wide(), table.wide_codes());
    }
    template <class T>
    void add_range(const T* first, std::int64_t size) {
        if (size == 0) return;
        const auto low = reinterpret_cast<std::uintptr_t>(first);
        ranges_.push_back({low, low + std::uintptr_t(size) * sizeof(T), false});
    }

    template <class... Of>
    void add(const NoConvertArray<Of...>& array) {
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
    void add(const std::optional<T>& argument) {
        if (argument) add(*argument);
    }
    template <class T>
    void add(const std::vector<T>& argument) {
        for (const T& item : argument) add(item);
    }
    template <class... T>
    void add(const std::variant<T...>& argument) {
        std::visit([this](const auto& item) { add(item); }, argument);
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

// The entry point `call`, which runs only if the outputs among its arguments overlap nothing else.
template <class Result, class... Arguments>
auto with_alias_check(Result (*call)(Arguments...)) {
    return [call](Arguments... arguments) -> Result {
        ArgumentExtents memory;
        (memory.add(arguments), ...);
        memory.require_disjoint();
        return call(static_cast<Arguments&&>(arguments)...);
    };
}

}  // namespace bitsieve
