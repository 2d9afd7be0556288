/// What is known of a candidate for a mention, as a number; 0: not so.
///
/// Each has a weight (`PlaceWeights`). A feature that all candidates of a mention share weighs for or against a place as
/// such, one in which they differ weighs between them. Sizes are log10 of inhabitants.
enum PlaceFeature: Int, CaseIterable {
    // MARK: The candidate's kind and size
    case city, district, region, country
    /// A state or province that is written behind its towns.
    case state
    /// A city's size divided by 7; what it exceeds 100 000 by, at most 1; what it lacks of 15 000.
    case people, large, village
    /// An area's size divided by 8.
    case areaPeople
    /// A quarter of a city.
    case section

    // MARK: How it has the name
    /// Another name of a city, not beginning as its own; with less than five letters.
    case otherName, shortOtherName
    case code, demonym
    /// An area whose name has a word for its kind (`Hall County`): of any, of one whose region is named.
    case kindWord, kindWordNamed
    /// A district without such a word; the same where the text has its name with the word, too.
    case bareDistrict, districtElsewhere

    // MARK: Its rivals
    /// No other candidate.
    case only
    /// The part that the largest city of its name has of an area; of a country.
    case shareOfCity, shareOfCityCountry
    /// A city with the name of an area elsewhere.
    case areaElsewhere
    /// An area with fewer inhabitants than a city elsewhere with its name.
    case smallerThanCity
    /// A capital, or a city of a million, whose name a region of its country has, too; such a region.
    case capitalOfArea, millionOfArea, areaOfCapital, areaOfMillion

    // MARK: Areas beside the name
    case insideAreaBehind, outsideAreaBehind
    /// Inside, or outside, the area behind the same name elsewhere in the text.
    case insideAreaElsewhere, outsideAreaElsewhere
    /// The area behind a town; a city or another area that stands there.
    case behindOwnTown, notBehindTown
    /// A district and a town in it are both named.
    case districtAndTown
    /// `Washington state`: a region.
    case calledArea
    /// A country or region beside words of a town: `Lebanon High School`.
    case municipalArea
    /// The code of another country behind a region.
    case otherCountryBehind
    /// An area's town from which a distance is measured.
    case behindMeasured

    // MARK: The areas that the text names, without the name itself
    case regionNamed, regionShare, countryNamed, countryShare
    /// A city of a region that is named, by its size.
    case peopleNamed
    /// Areas are named, but none of the candidate's country.
    case otherCountries, otherCountriesArea, otherCountriesCountry
    /// A city elsewhere, where a large one of its name lies in the only country that is named: Cordoba, beside Mexico.
    case namesakeNamed
    /// No area is named in a text of a thousand bytes: of a city; of a large one, by `large`.
    case nothingNamed, nothingNamedLarge
    /// The text names regions of one country only, and the candidate is in none of them.
    case outsideLocal, outsideLocalArea
    /// How few cities the table has (1 less for ten times as many; at most 1.7), for a city that is not famous, in a region that is neither named nor the home.
    case sparse

    // MARK: The other names
    /// The part of the cities that other names mean at first sight which are in its region.
    case nearRegion
    /// How near the nearest of them is: 1 to 0, 1/e at 100 km.
    case nearest
    /// The part of the other names that have a candidate in its region; the same at home.
    case fitsRegion, fitsHome
    /// The name beside it in a list means a city in its country; may mean an area of its kind.
    case listMate, listMateArea

    // MARK: The home of the source and the dateline, which only speak for a candidate
    case homeRegion, homeCountry
    case datelineNear

    // MARK: The words around it, unless the caller gives the name
    case given
    case cueCity, opening
    /// A city in a headline, whose words are all capitalised, without a word such as `in`.
    case headlineBare
    case beforeUnknownArea
    case givenName, familyName, personBefore, capitalBefore, publicBehind, capitalBehind, verbBehind
    case inBefore, theBefore
    /// `of` behind a capitalised word that is none for a place: `Chamber of Commerce`.
    case partOfName
    /// Elsewhere in the text the name has a word such as `in` before it.
    case cueElsewhere
    /// A noun of a language that capitalises all nouns.
    case noun
    /// Up to four capitals, which rather stand for something else than for a region or city: `URI`.
    case acronym

    // MARK: Rules against the name (`MentionScan.Refusal`)
    case glued, person, organisation, wordBefore, wordBehind
    /// How common the name is as a word of the text's language: its Zipf frequency (`CommonWords`).
    case commonWord
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
