#pragma once

/// Gives what is freed, and still kept for the next to ask, back to the machine.
///
/// Of what threads keep for themselves only that of the calling one is given back.
void cmalloc_give_back(void);

/// Gives up what the calling thread keeps for itself; for a thread that is about to sleep for long.
void cmalloc_flush_thread(void);
