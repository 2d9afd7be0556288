import Foundation

/// Weighs the candidates of a mention against each other and against none of them.
///
/// The score of a candidate is the sum of its features times their weights, that of no place 0. The probabilities are the
/// exponentials of the scores divided by their sum (a conditional logit), calibrated.
enum PlaceScorer {
    /// The weights in the order of the features.
    static let weights: [Double] = {
        var weights = [Double](repeating: 0, count: PlaceFeature.allCases.count)
        for (feature, weight) in PlaceWeights.all { weights[feature.rawValue] = weight }
        return weights
    }()

    /// Sets the candidates' probabilities.
    static func weigh(_ candidates: inout [ScoredCandidate]) {
        let scores = candidates.map { score($0.features) }
        let most = max(0, scores.max() ?? 0)
        let sum = scores.reduce(exp(-most)) { $0 + exp($1 - most) }
        for (index, score) in scores.enumerated() {
            candidates[index].probability = calibrated(exp(score - most) / sum)
        }
    }

    private static func score(_ features: PlaceFeatures) -> Double {
        var score = 0.0
        for (value, weight) in zip(features.values, weights) { score += value * weight }
        return score
    }

    /// Platt's scaling of a probability.
    private static func calibrated(_ probability: Double) -> Double {
        guard probability > 0, probability < 1 else { return probability }
        let logit = log(probability / (1 - probability))
        return 1 / (1 + exp(-(PlaceWeights.slope * logit + PlaceWeights.intercept)))
    }
}
