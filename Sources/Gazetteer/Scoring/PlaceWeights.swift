enum PlaceWeights {
    static let slope = 1.0
    static let shift = 0.0
    static let all: [(PlaceFeature, Double)] = []
}
