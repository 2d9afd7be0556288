#pragma once
// There is nothing to call: see monitor.c.
