import ArgumentParser
import Gazetteer
import Model

/// What is known of the home of a document's feed when the document is read.
enum FeedPrior: String, ExpressibleByArgument, CaseIterable {
    /// Nothing.
    case alone
    /// The home that the earlier documents of its feed give.
    case cold
    /// The home that all other documents of its feed give.
    case warm

    /// The documents with the homes of their feeds, in the order of time.
    func applied(to documents: [CorpusDocument], _ resolver: Resolver) throws -> [CorpusDocument] {
        guard self != .alone else { return documents }
        var feeds: [String: [CorpusDocument]] = [:]
        for document in documents { feeds[document.feed ?? "", default: []].append(document) }
        return try feeds.sorted { $0.key < $1.key }.flatMap { try read($0.value, resolver) }
    }

    /// The home that all documents of each feed give, by feed.
    static func homes(of documents: [CorpusDocument], _ resolver: Resolver) throws -> [String] {
        var homes: [String: LearnedHome] = [:]
        for document in documents {
            homes[document.feed ?? "", default: LearnedHome()].count(try resolver.homeVotes(in: document.text))
        }
        return homes.sorted { $0.key < $1.key }.map { feed, home in
            let place = [home.context.country, home.context.region].compactMap { $0 }.joined(separator: ".")
            let counts = home.counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(6)
            return "feed \(feed): \(place.isEmpty ? "no home" : place) of \(home.events) documents, "
                + counts.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
        }
    }

    private func read(_ documents: [CorpusDocument], _ resolver: Resolver) throws -> [CorpusDocument] {
        // Documents without a time stay in the order of the file.
        let ordered = documents.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
        let votes = try ordered.map { try resolver.homeVotes(in: $0.text) }
        return ordered.indices.map { index in
            var home = LearnedHome()
            for other in self == .cold ? 0..<index : votes.indices where other != index { home.count(votes[other]) }
            var document = ordered[index]
            document.position = document.feed.map { _ in index + 1 }
            if document.context.country == nil { document.context = home.context }
            return document
        }
    }
}
