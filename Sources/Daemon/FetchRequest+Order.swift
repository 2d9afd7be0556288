import Engine
import Fetching
import Foundation
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
        let secrets = order.context.secrets
        switch order.request.authorization {
        case .bearer: self.authorization = secrets["bearer"].map { Secret("Bearer " + $0.value) }
        case .basic:
            if let key = secrets["key"], let secret = secrets["secret"] {
                let pair = Data("\(key.value.percentEncoded):\(secret.value.percentEncoded)".utf8)
                self.authorization = Secret("Basic " + pair.base64EncodedString())
            }
        case .none:
            if let file = settings.authorizationFile { self.authorization = try authorization(file) }
        }
    }
}
