#pragma once
// Nothing to call: what setup.c does it does before main.
