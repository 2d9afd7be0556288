/// Words that make a place's name that of something else: an organisation, a team, a thing.
extension PlaceWords {
    /// Words in lower case before a bare name that make it a ship or the like.
    static let vessels = words(
        """
        bomber carrier cruiser destroyer ferry freighter frigate ship shuttle submarine tanker trawler vessel yacht
        """)

    /// Titles and documents before `of` and a name: `Duke of Wellington`, `Treaty of Lisbon`.
    static let titleHeads = words("archbishop bishop duchess duke earl edict marquess treaty viscount")

    /// Words before a name, or before `of` and a name, that make it an organisation, a ship or a sea.
    static let organisationHeads = words(
        """
        ac academy air as association atletico banco bank bay cafe camp cape church club college fc fort friends gulf
        hmas hmcs hms hotel institute inter lake miss mount mv order port radio real restaurant rms school sea society
        ss strait straits team theater theatre university uscgc usns uss
        """)

    /// Words after a name that make it a newspaper, a team, a firm, a university or an agreement.
    static let organisationTails = words(
        """
        accord accords agreement airlines airways albion angels astros athletic athletics avalanche bancorp bay
        bears bengals blazers blue blues braves brewers bridge broncos browns bruins bucks bulls canadiens
        canucks capitals cardinals cavaliers celtics cf chargers chiefs chronicle clippers co college company
        convention corp cowboys coyotes cubs daily declaration derby devils diamondbacks dodgers dolphins ducks
        eagles energy entertainment examiner exchange falcons fashion fc fever flames flu flyers galaxy gazette
        giants globe gmbh grizzlies group guardian hawks heat herald holdings hotspur hurricanes inc indians
        institute islanders jazz jets journal kings knicks lakers leafs lightning lions llc ltd magazine magic
        maple marathon mariners masters mavericks mets mirror motor motors nationals nets news nuggets observer
        oil oilers open orchestra orioles packers padres panthers patriots pelicans penguins petroleum
        pharmaceuticals philharmonic pictures pirates pistons plc post predators press protocol raiders rangers
        raptors ravens records reds redskins review revolution rockets rockies rovers royals saints seahawks
        senators sharks sounders spring spurs standard star steelers summit sun suns symphony syndrome telegraph
        texans thunder tigers timbers timberwolves times titans today tower treaty tribune twins united
        university vikings virus wanderers warriors weekly whitecaps wild wizards yankees
        """)

    /// Words at the end of a longer name with the same effect (`Texas Christian University`).
    static let institutions = words("airlines airways college corp inc institute ltd pictures plc records university")

    /// Words after a name that a town has and a country has not.
    static let municipalTails: Set<String> = [
        "city attorney", "city commission", "city council", "city hall", "city manager", "fire department",
        "elementary school", "high school", "independent school", "middle school", "police department", "school board",
        "school district",
    ]

    /// Words after a bare name that make it a club, unless a public body follows (`Norwich City Council`).
    static let clubTails = words("city town")

    /// Words beside a bare name that make it a team.
    static let contests = words(
        """
        beat beats defeat defeated defeats rout routs thrash thrashed thrashes trounce trounced trounces
        """)

    /// Lower-case words after a bare name for things named after a place of discovery or agreement.
    static let namedAfterPlaces = words(
        "accord accords agreement fever flu protocol syndrome treaty vaccine variant virus")

    /// Countries whose names are also words; they are no place in a text that writes the word in lower case.
    static let wordCountries = words("chile guinea jersey turkey")

    /// Things, animals and plants with the name of a place.
    static let things: Set<String> = [
        "bermuda shorts", "bermuda triangle", "boston terrier", "boston terriers", "brazil nut", "brazil nuts",
        "brussels sprout", "brussels sprouts", "canada geese", "canada goose", "chile pepper", "chile peppers",
        "dover sole", "greenland shark", "greenland sharks", "guinea fowl", "guinea pig", "guinea pigs",
        "guinea worm", "havana cigar", "havana cigars", "hong kong flu", "india ink", "jersey barrier",
        "jersey barriers", "jersey cow", "jersey cows", "kentucky fried", "kobe beef", "lancaster bomber", "lima bean",
        "lima beans",
        "manila envelope", "manila envelopes", "moscow mule", "moscow mules", "norway rat", "norway rats",
        "norway spruce", "oxford comma", "panama hat", "panama hats", "panama papers", "parma ham",
        "philadelphia cream", "turkey breast", "turkey burger", "turkey burgers", "turkey dinner", "turkey dinners",
        "turkey meat", "turkey sandwich", "turkey sandwiches", "turkey trot", "turkey vulture", "turkey vultures",
        "vienna sausage", "vienna sausages", "wellington bomber", "wellington boot", "wellington boots",
    ]
}
