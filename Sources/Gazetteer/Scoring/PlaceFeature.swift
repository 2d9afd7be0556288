/// What is known of a candidate for a mention, as numbers; 0: not so.
///
/// Each has a weight (`PlaceWeights`). A feature that all candidates of a mention share weighs for or against the place as
/// such, one in which they differ between them.
enum PlaceFeature: Int, CaseIterable {
    // The candidate's kind and size.
    case city, district, region, country
    /// A state or province that is written behind its towns.
    case state
    /// A seventh of log10 of a city's inhabitants.
    case people
    /// log10 of a city's inhabitants above 100 000.
    case million
    case unknownPeople
    /// An eighth of log10 of an area's inhabitants.
    case areaPeople
    case capital
    case seat
    /// A part of a city.
    case section

    // How it has the name.
    /// Another name of a city.
    case otherName
    /// One with less than five letters.
    case shortOtherName
    /// Another name that begins as its own.
    case variantName
    /// Another name of a city that is a town's own.
    case rivalledName
    case code
    case demonym
    /// An area whose name has a word for its kind: `Hall County`.
    case kindWord
    /// A city whose name has such a word.
    case cityKindWord
    /// A district without such a word.
    case bareDistrict
    /// Words before or behind the name were left out to find it.
    case shortened

    // Its rivals.
    /// Its share of the inhabitants of all candidates of its kind.
    case share
    /// log10 of the number of cities with the name.
    case cities
    /// log10 of how much larger the largest city with the name is.
    case largerCity
    /// A city's share of the area around it that has the name, too.
    case shareOfArea
    /// The share of the largest city in the area that has its name.
    case shareOfCity
    /// A city with the name of an area elsewhere.
    case areaElsewhere
    /// log10 of how much larger than the area a city elsewhere with its name is, −2 to 1.
    case cityElsewhere
    /// An area that contains another area with the name, or another that lies in one.
    case areasNested

    // Areas beside the name.
    case insideAreaBehind, outsideAreaBehind
    /// It lies in the area behind it, but the two may be a list.
    case insideListed
    /// An area that is written behind a town in it, or behind an unknown name.
    case behindOwnTown, behindUnknownTown
    /// A city, or another area, where one is written behind a town.
    case notBehindTown
    /// The area behind the same name elsewhere in the text contains it, or does not.
    case insideAreaElsewhere, outsideAreaElsewhere
    /// A district and a town in it are both named.
    case districtAndTown, otherDistrictAndTown
    /// The text has the district's name with its word, too.
    case districtElsewhere
    /// `Washington state`: for areas, and for cities.
    case calledArea, calledAreaCity

    // The areas that the text names.
    case regionNamed, regionShare, countryNamed, countryShare
    /// The text names areas, but not the candidate's country: of cities, and of areas.
    case otherCountries, otherCountriesArea
    /// The text names no area.
    case nothingNamed
    /// The text names regions of one country only, and the candidate is in none of them.
    case outsideLocal
    /// Other names that are certain enough lie within 150 km, in its region, in its country.
    case near, nearRegion, nearCountry
    /// Other names of the text that have a candidate in its region, in its country.
    case fitsRegion, fitsCountry

    // The home of the source, and its dateline.
    case homeRegion, homeCountry
    /// In the home's country, but in another region; the same without the text naming that region.
    case besideHome, besideHomeUnnamed
    /// In another country than the home; the same where the text names no other country.
    case abroad, abroadUnnamed
    case datelineNear, datelineCountry

    // The words around it. Names that a caller gives have none of these.
    case given, givenCity
    case cueCity, cueArea
    case opening
    case headlineCity
    /// A city in a headline without a word such as `in`.
    case headlineBare
    case severalWords
    case beforeUnknownArea, beforeUnknownCity, beforeUnknownHome
    case givenName, familyName
    case bareCode
    case municipalArea
    case otherCountryBehind
    case behindMeasured
    case nounCity
    /// log2 of its mentions.
    case repeated
    /// Elsewhere in the text the name has a word such as `in` before it, or is a person's.
    case cueElsewhere, personElsewhere
    case sentenceStart
    case possessive
    case capitalBefore, capitalBehind
    case verbBehind
    /// A city without a word such as `in`, of which the text names no area.
    case unsupported
    /// How common the name is as a word of the text's language.
    case commonWord

    // Rules that refuse a name (`MentionScan.Refusal`).
    case glued, word, person, organisation, contest, longerName, wordBefore, wordBehind, compared
}

/// The features of a candidate.
struct PlaceFeatures {
    private(set) var values = [Double](repeating: 0, count: PlaceFeature.allCases.count)

    subscript(feature: PlaceFeature) -> Double {
        get { values[feature.rawValue] }
        set { values[feature.rawValue] = newValue }
    }

    /// Sets a feature to 1 if the condition holds.
    mutating func set(_ feature: PlaceFeature, if holds: Bool) {
        if holds { values[feature.rawValue] = 1 }
    }
}
