import Testing

@testable import Gazetteer

@Suite("Files of words")
struct WordFileTests {
    @Test("Each file can be read to its end", arguments: WordFile.names)
    func files(_ name: String) {
        #expect(WordFile(name).faults == [])
    }

    @Test("Comments, lists, languages and phrases")
    func words() {
        let file = WordFile(
            "some",
            text: """
                # Words.
                [cues]
                in near
                de: bei nach
                [things]
                guinea_pig São_Paulo
                """)
        #expect(file.words("cues") == ["in", "near", "bei", "nach"])
        #expect(file.folded("things") == ["guinea pig", "sao paulo"])
        #expect(file.faults == [])
    }

    @Test("Records have fields, and fields words")
    func records() {
        let file = WordFile("some", text: "[states]\nUS.WV | West Virginia | WV, W. Va.\nmi, mile | 1.609344")
        #expect(file.records("states")[0] == [["US.WV"], ["West Virginia"], ["WV", "W. Va."]])
        #expect(file.table("states")["mile"] == ["1.609344"])
    }

    @Test("A fault has its file and line")
    func faults() {
        let file = WordFile("some", text: "# Words.\nastray\n[a]\nin\n[a]\nat")
        #expect(file.faults == ["some.txt:2: no list", "some.txt:5: a again"])
        #expect(WordFile("absent").faults == ["absent.txt: no such file"])
    }

    @Test("What is built in is what the lists had")
    func builtIn() {
        #expect(PlaceWords.common.contains("reading") && PlaceWords.cues.isSuperset(of: ["in", "bei", "vers"]))
        #expect(PlaceWords.things.contains("guinea pigs") && PlaceWords.municipalTails.contains("city council"))
        #expect(Demonyms.all.count == 191 && StateNames.all.count == 72)
        #expect(StateNames.all.first { $0.areaCode == "US.DC" }?.name == "Washington, D.C.")
        #expect(AreaAliases.names.first { $0.code == "CI" }?.names == ["Côte d'Ivoire"])
        #expect(CountryNames.codes.count == 250 && CountryNames.britishNations.contains("Northern Ireland"))
    }
}
