/// Which of the places that share a name is meant: the rules that names alone and names in a document have in common.
///
/// Weights are powers of ten of inhabitants, so a difference of 0.3 is a factor of two and one of 1.5 a factor of thirty.
enum Homonyms {
    /// From so many inhabitants on a city is known by its name alone.
    static let knownCity: Int64 = 100_000

    /// Whether the place of the greatest weight is too close to another to tell which is meant.
    static func isClose(_ best: Double, to rival: Double) -> Bool { best - rival < 0.3 }

    /// Whether rivals are so far apart that an answer would be a guess.
    static func areApart(_ kilometres: Double, isPopulationUnknown: Bool = false) -> Bool {
        kilometres > (isPopulationUnknown ? Nearness.sameSpot : Nearness.sameArea)
    }

    /// Whether a city in another country is meant rather than an area: the name is its own, and more people live there.
    static func isRather(population: Int64, isOwnName: Bool, in country: String, than area: Place) -> Bool {
        isOwnName && country != area.country && population > max(knownCity, area.population)
    }

    /// Whether a region elsewhere is large enough to be meant rather than a country of its name.
    static func isRival(_ region: Place, of country: Place) -> Bool {
        region.country != country.country && region.population * 2 > country.population
    }

    /// Whether a city is a good part of the region of its name around it, so that it is meant.
    static func isGoodPart(population: Int64, of region: Place) -> Bool {
        population > 0 && population * 5 >= region.population
    }

    /// Whether a city outside of a region outweighs it. Where it is smaller, or has the name among others, it must stand
    /// out far more: Edo is a state of Nigeria, and was Tokyo.
    static func outweighs(_ city: Double, isLarger: Bool, region: Double) -> Bool {
        city > region + (isLarger ? 0 : 1.5)
    }
}
