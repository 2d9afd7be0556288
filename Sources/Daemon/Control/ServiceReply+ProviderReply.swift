import Control
import Engine
import Model

extension ServiceReply {
    /// Creates the reply of the control socket from the scheduler's.
    init(_ reply: ProviderReply) {
        switch reply.outcome {
        case .answered(let answer): self.init(reply.provider, answer, isKept: false)
        case .kept(let answer): self.init(reply.provider, answer, isKept: true)
        case .failed(let failure):
            self.init(provider: reply.provider, status: .failed, reason: failure.message, isKept: false)
        case .notAsked(let reason):
            self.init(provider: reply.provider, status: .notAsked, reason: reason.words, isKept: false)
        }
    }

    private init(_ provider: GeocodeProvider, _ answer: ProviderAnswer, isKept: Bool) {
        switch answer {
        case .found(let location):
            self.init(
                provider: provider, status: .found, isKept: isKept, latitude: location.coordinate.latitude,
                longitude: location.coordinate.longitude, precision: location.precision.rawValue,
                confidence: location.confidence, placeID: location.placeID, country: location.country)
        case .missing(let reason): self.init(provider: provider, status: .missing, reason: reason, isKept: isKept)
        }
    }
}

extension ProviderReply.Reason {
    /// The reason in words for people.
    fileprivate var words: String {
        switch self {
        case .notNeeded: "another service knows the place"
        case .failing(let until): "it has been failing, next try \(until.rfc3339)"
        case .quotaUsedUp(let until): "its quota is used up until \(until.rfc3339)"
        case .storeFailed(let reason): reason
        case .stopping: "the program stops"
        }
    }
}
