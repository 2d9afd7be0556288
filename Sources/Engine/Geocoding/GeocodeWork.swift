import Model

/// A job or a person's question on its way.
struct GeocodeWork: Sendable {
    var job: GeocodeJob
    /// The number of a person's question that has not been answered yet; nil for a job of the queue.
    var question: Int?
    /// What services have said to the question since it was asked.
    var outcomes: [GeocodeProvider: ProviderReply.Outcome] = [:]

    var isOfQueue: Bool { job.id != nil }
}
