-- For read.py: asks for the paths in the file PATHS in turn, and prints the figures in one line.
local requests, at = {}, 0

function init()
    for path in io.lines(os.getenv('PATHS')) do requests[#requests + 1] = wrk.format('GET', path) end
end

function request()
    at = at % #requests + 1
    return requests[at]
end

function done(summary, latency)
    local errors = summary.errors
    print(string.format('requests=%d seconds=%.6f bytes=%d errors=%d p50=%.3f p99=%.3f', summary.requests,
        summary.duration / 1e6, summary.bytes,
        errors.connect + errors.read + errors.write + errors.status + errors.timeout,
        latency:percentile(50) / 1e3, latency:percentile(99) / 1e3))
end
