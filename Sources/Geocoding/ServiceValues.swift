import Model

extension String {
    /// The URL with parameters in its query, names and values percent-encoded.
    func appending(parameters: [(name: String, value: String)]) -> String {
        let query = parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return "\(self)\(contains("?") ? "&" : "?")\(query)"
    }
}

extension Coordinate {
    /// Whether it is the point 0,0 in the sea, which services and tables give for "unknown".
    var isNowhere: Bool { latitude == 0 && longitude == 0 }
}
