import Model
import Testing

@testable import Gazetteer

@Suite struct PlaceScorerTests {
    private func candidate(_ id: String, _ features: [PlaceFeature: Double]) throws -> ScoredCandidate {
        var values = PlaceFeatures()
        for (feature, value) in features { values[feature] = value }
        let coordinate = try #require(Coordinate(latitude: 40, longitude: -90))
        return ScoredCandidate(
            place: Place(kind: .city, id: id, name: id, country: "US", coordinate: coordinate), features: values)
    }

    @Test("each feature has one weight at most")
    func weights() {
        let features = PlaceWeights.all.map { $0.0 }
        #expect(Set(features).count == features.count)
        #expect(PlaceWeights.all.allSatisfy { $0.1.isFinite && abs($0.1) < 20 })
    }

    @Test("probabilities share what is left by no place, and the one with more for it has more")
    func probabilities() throws {
        var candidates = [
            try candidate("a", [.city: 1, .people: 0.8, .insideAreaBehind: 1]),
            try candidate("b", [.city: 1, .people: 0.9, .outsideAreaBehind: 1]),
        ]
        PlaceScorer.weigh(&candidates)
        #expect(candidates[0].probability > candidates[1].probability)
        #expect(candidates[1].probability < 0.1)
        #expect(candidates.allSatisfy { (0...1).contains($0.probability) })
        var none: [ScoredCandidate] = []
        PlaceScorer.weigh(&none)
        #expect(none.isEmpty)
    }

    @Test("shares are told by feature, the greatest first, and add up to the score")
    func shares() throws {
        let shares = try candidate("a", [.city: 1, .people: 0.8]).shares
        #expect(Set(shares.map { $0.feature }) == ["city", "people"])
        #expect(abs(shares[0].share) >= abs(shares[1].share))
    }
}
