/// Rules for choosing among places that share a name, common to single texts and documents.
///
/// Weights are log10 of inhabitants: a difference of 0.3 is a factor of two, one of 1.5 a factor of thirty.
enum Homonyms {
    /// From this number of inhabitants on a place is a town, not a village.
    static let town: Int64 = 15_000

    /// A city with this number of inhabitants is known by its name alone.
    static let knownCity: Int64 = 100_000

    /// A city with this number of inhabitants is known by its name alone in other regions of its country, too.
    static let knownAfar: Int64 = 500_000

    /// Whether one name begins with the other: `Panama City` and `Panamá`, `Washington` and `Washington, D.C.`. Both are
    /// folded.
    static func areVariants(_ one: String, _ other: String) -> Bool {
        one.hasPrefix(other + " ") || other.hasPrefix(one + " ")
    }

    /// Whether a rival's weight is too close to the greatest weight to decide.
    static func isClose(_ best: Double, to rival: Double) -> Bool { best - rival < 0.3 }

    /// Whether rivals are so far apart that an answer would be a guess.
    static func areApart(_ kilometres: Double, isPopulationUnknown: Bool = false) -> Bool {
        kilometres > (isPopulationUnknown ? Nearness.sameSpot : Nearness.sameArea)
    }

    /// Whether a city in another country is preferred to an area: it has the name as its own and more inhabitants.
    static func isRather(population: Int64, isOwnName: Bool, in country: String, than area: Place) -> Bool {
        isOwnName && country != area.country && population > max(knownCity, area.population)
    }

    /// Whether a city has at least a fifth of the inhabitants of the region with its name, so that the city is meant.
    static func isGoodPart(population: Int64, of region: Place) -> Bool {
        population > 0 && population * 5 >= region.population
    }

    /// Whether a city outside a region outweighs it. A smaller city, or one with the name as another name, needs a lead
    /// of 1.5: Edo is a state of Nigeria and a former name of Tokyo.
    static func outweighs(_ city: Double, isLarger: Bool, region: Double) -> Bool {
        city > region + (isLarger ? 0 : 1.5)
    }
}
