import Engine
import Fetching
import Model

extension FetchRequest {
    /// What an order of the engine's asks for.
    /// - Parameter authorization: Reads a source's `authorization_file`.
    init(_ order: FetchOrder, authorization: (_ file: String) throws(Failure) -> Secret) throws(Failure) {
        let settings = order.settings
        self.init(url: order.url)
        form = order.request.form
        json = order.request.json
        stream = order.request.stream
        rateLimitResetHeader = order.feed.rateLimitResetHeader
        needsNewConnection = order.isRepeated
        validators = order.validators
        headers = order.request.headers
        proxy = settings.proxy
        certificateAuthorityFile = settings.certificateAuthorityFile
        allowsFile = settings.url.lowercased().hasPrefix("file:")
        // Credentials and headers of the user's own never go to another host than the one configured.
        guard !order.isForeign else {
            home = settings.urls().first?.url ?? settings.url
            return
        }
        headers.merge(settings.headers) { _, own in own }
        self.authorization = order.request.authorization.header(with: order.context.secrets)
        if order.request.authorization == .none, let file = settings.authorizationFile {
            self.authorization = try authorization(file)
        }
    }
}
