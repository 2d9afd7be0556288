extension String {
    /// The URL with query parameters appended, names and values percent-encoded.
    func appending(parameters: [(name: String, value: String)]) -> String {
        let query = parameters.map { "\($0.name.percentEncoded)=\($0.value.percentEncoded)" }.joined(separator: "&")
        return "\(self)\(contains("?") ? "&" : "?")\(query)"
    }
}
