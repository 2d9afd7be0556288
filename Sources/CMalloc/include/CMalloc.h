#pragma once

/// Gives what is freed, and still kept for the next to ask, back to the machine.
///
/// Of what threads keep for themselves only that of the calling one is given back.
void cmalloc_give_back(void);
