/// Names of places in those of organisations, teams, things and longer names.
extension MentionScan {
    /// Whether the words beside a name are those of a town.
    func isMunicipal(_ name: Mention) -> Bool {
        if let of = tokens.word(before: name.tokens.lowerBound), tokens[of].folded == "of",
            let head = tokens.word(before: of), ["city", "town", "village"].contains(tokens[head].folded)
        {
            return true
        }
        guard let next = tokens.word(after: name.tokens.upperBound), tokens[next].isCapitalised else { return false }
        if ["mayor", "township"].contains(tokens[next].folded) { return true }
        guard let second = tokens.word(after: next), tokens[second].isCapitalised else { return false }
        return PlaceWords.municipalTails.contains(tokens[next].folded + " " + tokens[second].folded)
    }

    /// `Brazil nuts`, `Marburg virus`, `ferry Dali`, `Paris 2024`.
    func isThing(_ name: Mention) -> Bool {
        if name.support == .none, let before = tokens.word(before: name.tokens.lowerBound),
            PlaceWords.vessels.contains(tokens[before].folded)
        {
            return true
        }
        guard let first = tokens.word(after: name.tokens.upperBound) else { return false }
        let tail = tokens[first].folded
        // `Paris 2024`, `Hamburg 2 Bremen 2`
        if name.support == .none, !name.isCountry, tail.allSatisfy({ $0.isNumber }) {
            // `Karachi 5 die in fire`, `Tokyo 7.1 quake`
            let behind = tokens.word(after: first).map { tokens[$0].folded } ?? ""
            return tokens.sign(at: first + 1) != "." && !PlaceWords.losses.contains(behind)
        }
        if PlaceWords.things.contains(name.folded + " " + tail) { return true }
        return !tokens[first].isCapitalised && !name.isCountry && name.support == .none
            && PlaceWords.namedAfterPlaces.contains(tail)
    }

    /// `Norwich City` without evidence of a place; also `Nevada City`, a town that the table lacks.
    func isClub(_ name: Mention) -> Bool {
        guard let first = tokens.word(after: name.tokens.upperBound), tokens[first].isCapitalised else { return false }
        if tokens[first].folded == "city", name.isState { return true }
        guard PlaceWords.clubTails.contains(tokens[first].folded), !name.isKnownArea, name.support == .none else {
            return false
        }
        // `Norwich City Council`
        return tokens.word(after: first).map { !PlaceWords.publicBodies.contains(tokens[$0].folded) } ?? true
    }

    /// `Texas Christian University`
    func isOrganisation(_ name: Mention) -> Bool {
        var last = name.tokens.upperBound
        guard let first = tokens.word(after: last), tokens[first].isCapitalised else { return false }
        let tail = tokens[first].folded
        // In a headline all words are capitalised; `Ohio State University` is in Ohio.
        guard !name.isInHeadline, !PlaceWords.publicBodies.contains(tail) else { return false }
        while let next = tokens.word(after: last), tokens[next].isCapitalised, next < first + 4 {
            if PlaceWords.institutions.contains(tokens[next].folded) { return true }
            last = next
        }
        return false
    }

    /// Whether it says something, as a firm or a person does: `Edison said`.
    func isSpeaker(_ name: Mention) -> Bool {
        guard name.isSingleWord, !name.isArea, name.largestCity < Homonyms.knownAfar,
            let verb = tokens.word(after: name.tokens.upperBound), PlaceWords.speaking.contains(tokens[verb].folded)
        else { return false }
        // `The mayor of Edison said`
        let before = tokens.word(before: name.tokens.lowerBound).map { tokens[$0].folded } ?? ""
        return before != "of" && !PlaceWords.cues.contains(before)
    }

    /// Whether something else is compared with it: `larger than Paris`, `the size of Paris`, `100 times the area of
    /// Paris`, `as large as Paris`, `the Paris of the East`.
    func isCompared(_ name: Mention) -> Bool {
        if let before = tokens.word(before: name.tokens.lowerBound) {
            if tokens[before].folded == "than" { return true }
            if let head = tokens.word(before: before), isComparison(tokens[before].folded, behind: head) { return true }
        }
        guard let of = tokens.word(after: name.tokens.upperBound), tokens[of].folded == "of",
            let the = tokens.word(after: of), tokens[the].folded == "the", let last = tokens.word(after: the)
        else { return false }
        return tokens[last].isCapitalised && PlaceWords.directions.contains(tokens[last].folded)
    }

    /// Whether a word before a name and the one before that compare something with it.
    private func isComparison(_ word: String, behind head: Int) -> Bool {
        switch word {
        case "of":
            let before = tokens[max(0, head - 5)..<head]
            return tokens[head].folded == "size"
                || PlaceWords.measures.contains(tokens[head].folded)
                    && before.contains { PlaceWords.multiples.contains($0.folded) }
        case "as": return head > 0 && PlaceWords.sizes.contains(tokens[head].folded) && tokens[head - 1].folded == "as"
        default: return false
        }
    }

    /// Whether it begins a longer name, which the table lacks: `Lagos de Covadonga`.
    func isBeginning(_ name: Mention) -> Bool {
        guard !name.isCountry, let next = tokens.word(after: name.tokens.upperBound),
            ["de", "del", "della", "der", "des"].contains(tokens[next].folded)
        else { return false }
        return nextOfName(name.tokens.upperBound) != nil
    }

    /// Whether it is a team: `Boston beat New York`.
    func isContestant(_ name: Mention, _ before: TextToken?, _ after: TextToken?) -> Bool {
        guard !name.isCountry, name.support == .none else { return false }
        return [before, after].contains { $0.map { PlaceWords.contests.contains($0.folded) } ?? false }
    }

    /// Whether it is part of a compound (`Anglo-French`), a handle, a tag or an address.
    func isGlued(_ name: Mention) -> Bool {
        if name.isCountry || name.support == .cue { return false }
        let first = name.tokens.lowerBound
        if tokens[first].gap == .none, let before = tokens.sign(at: first - 1), Self.glue.contains(before) {
            return true
        }
        let next = name.tokens.upperBound + 1
        guard let after = tokens.sign(at: next), tokens[next].gap == .none, Self.glue.contains(after) else {
            return false
        }
        return next + 1 < tokens.count && tokens[next + 1].gap == .none
    }

    /// `anti-U.S.`, `pro-Russia`
    func isOpposed(_ name: Mention) -> Bool {
        let first = name.tokens.lowerBound
        guard first > 1, tokens[first].gap == .none, tokens[first - 1].isHyphen else { return false }
        return ["anti", "non", "pro"].contains(tokens[first - 2].folded)
    }

    /// Whether it looks as an abbreviation: `URI`, in a text that is not all in capitals.
    func isAcronym(_ name: Mention) -> Bool {
        let word = tokens[name.tokens.lowerBound]
        return name.tokens.count == 1 && word.isAllCaps && word.length <= 4 && name.support < .dateline
            && !lowercaseWords.isEmpty
    }

    private static let glue: Set<Unicode.Scalar> = ["-", "\u{2010}", "\u{2011}", "@", "#", "_", "&", "\\"]
}
