import Model
import Store

/// The kept pictures of authors and volcanoes, for the page.
extension ReadAPI {
    /// A picture is shown alone or in the page, and runs and loads nothing.
    private static let policy = "default-src 'none'; sandbox; frame-ancestors 'none'"

    /// Answers `/pictures/{key}`: the picture, 204 where none is kept. No cache may keep it, since it goes with its event.
    func picture(_ request: APIRequest, _ key: String) throws -> Reply {
        try Parameters(request).end()
        guard PictureKey.isKey(key) else {
            throw Problem.missing("there is no picture at \(request.fullPath); a key is a link in base64url")
        }
        return .read { _ in
            guard let content = try pictures?.picture(key) else {
                return APIAnswer(status: 204).with("cache-control", "no-store")
            }
            return APIAnswer(headers: [("content-type", content.format.rawValue)], body: .whole([UInt8](content.data)))
                .with("cache-control", "no-store").with("content-security-policy", Self.policy)
        }
    }
}
