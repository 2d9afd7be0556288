#include "CVersion.h"

// Package.swift defines VISIVENTD_BUILD without quotes.
#define TEXT(x) #x
#define QUOTED(x) TEXT(x)

const char *visiventd_build(void) { return QUOTED(VISIVENTD_BUILD); }
