"""Raw columns to small integer codes: MDL, equal frequency, equal width, categorical, and zero as a code of its own."""
