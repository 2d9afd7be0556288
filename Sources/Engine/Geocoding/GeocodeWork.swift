import Model

/// A job or a person's question that is being worked on.
struct GeocodeWork: Sendable {
    var job: GeocodeJob
    /// The number of a person's question that has not been answered yet; nil otherwise.
    var question: Int?
    /// Outcomes by service since the question was asked.
    var outcomes: [GeocodeProvider: ProviderReply.Outcome] = [:]

    var isOfQueue: Bool { job.id != nil }
}
