#pragma once
#include <stddef.h>
#include <stdint.h>

// wchar.h declares this only for X/Open programs, so Swift does not see that declaration.
extern int wcwidth(wchar_t character);

// The columns of a Unicode scalar on a terminal: 0, 1 or 2; -1 for one that is not printable (wcwidth(3)).
static inline int32_t columnsOfScalar(uint32_t scalar) { return wcwidth((wchar_t)scalar); }
