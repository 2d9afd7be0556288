#pragma once
#include <stddef.h>
#include <stdint.h>

// In wchar.h for X/Open programs only, as which Swift does not see it.
extern int wcwidth(wchar_t character);

// wcwidth(3) of a Unicode scalar.
static inline int32_t columnsOfScalar(uint32_t scalar) { return wcwidth((wchar_t)scalar); }
