import Model
import Testing

@Suite struct WordSetTests {
    /// A shipped set never changes; a better one has another name.
    @Test(arguments: [
        ("@earthquake", "e8e280d8f51dbe51"), ("@tsunami", "ea602286c41f1f0c"), ("@volcano", "2f60da9aa0382c72"),
    ])
    func wordsStayAsTheyWereShipped(name: String, hash: String) throws {
        let words = try #require(WordSet.words(of: name))
        #expect(FNV64.hex(words.joined(separator: "\n")) == hash)
        for word in words { #expect(!KeywordFilter([word]).isEmpty && !word.hasSuffix(" "), "\(word)") }
    }

    @Test func namesAreThoseOfTheSets() {
        #expect(WordSet.names == ["@earthquake", "@tsunami", "@volcano"])
        for name in ["earthquake", "@Earthquake", "@earthquake*", "@@earthquake"] {
            #expect(WordSet.words(of: name) == nil)
        }
        #expect(WordSet.isUnknown("@eathquake") && WordSet.isUnknown("@"))
        for keyword in ["@volcano", "@@volcano", "volcano", ""] { #expect(!WordSet.isUnknown(keyword)) }
    }

    @Test(
        "A set finds the headlines of its languages, and no other set does",
        arguments: [
            ("@earthquake", "Strong earthquakes off Chile"),
            ("@earthquake", "Fuerte sismo de magnitud 6 sacude Oaxaca"),
            ("@earthquake", "Un séisme de magnitude 5,2 ressenti à Nice"),
            ("@earthquake", "Schweres Erdbebenunglück in Nepal"),
            ("@earthquake", "Terremoto, due scosse nel Reatino"),
            ("@earthquake", "Dois abalos sísmicos nos Açores"),
            ("@earthquake", "Zware aardbevingen in Groningen"),
            ("@earthquake", "Jordskalvet kändes i Skåne"),
            ("@earthquake", "Po trzęsieniu ziemi w Turcji"),
            ("@earthquake", "Při zemětřesení zahynuly stovky lidí"),
            ("@earthquake", "Cutremurul din Vrancea"),
            ("@earthquake", "Földrengések Horvátországban"),
            ("@earthquake", "Ege'de depremin ardından"),
            ("@earthquake", "Серия землетрясений на Камчатке"),
            ("@earthquake", "Землетруси у Румунії"),
            ("@earthquake", "Ισχυρός σεισμός στην Κρήτη"),
            ("@earthquake", "قتلى بالزلزال الذي ضرب المغرب"),
            ("@earthquake", "زمین‌لرزه در کرمان"),
            ("@earthquake", "רעידת אדמה בים המלח"),
            ("@earthquake", "नेपाल में भूकंप के झटके"),
            ("@earthquake", "Gempa bumi guncang Lombok"),
            ("@earthquake", "能登半島で震度7の地震"),
            ("@earthquake", "포항에서 규모 5.4 지진이 발생"),
            ("@earthquake", "四川发生6.1级地震"),
            ("@earthquake", "เกิดแผ่นดินไหวที่เชียงราย"),
            ("@earthquake", "Động đất ở Kon Tum"),
            ("@earthquake", "រញ្ជួយ\u{200B}ដីនៅកម្ពុជា"),
            ("@earthquake", "Kraftig jordskjelv på Vestlandet"),
            ("@earthquake", "Maanjäristyksen uhrit"),
            ("@earthquake", "Potres u Petrinji"),
            ("@volcano", "Volcanic ash over Kagoshima"),
            ("@volcano", "El volcán de La Palma"),
            ("@volcano", "Vulkanausbruch auf Island"),
            ("@volcano", "Vulcões da Guatemala"),
            ("@volcano", "Erupce sopky v Indonésii"),
            ("@volcano", "Erupcja wulkanu Etna"),
            ("@volcano", "Vulcanul Etna a erupt"),
            ("@volcano", "Извержение вулкана Шивелуч"),
            ("@volcano", "Έκρηξη του ηφαιστείου"),
            ("@volcano", "ثوران بركاني في آيسلندا"),
            ("@volcano", "फिर फटा ज्वालामुखी"),
            ("@volcano", "桜島が噴火"),
            ("@volcano", "冰岛火山喷发"),
            ("@volcano", "ภูเขาไฟระเบิด"),
            ("@volcano", "Núi lửa phun trào"),
            ("@volcano", "Yanardağın patlaması"),
            ("@volcano", "Gunung berapi meletus"),
            ("@volcano", "화산이 폭발"),
            ("@volcano", "Tulivuorenpurkaus Islannissa"),
            ("@tsunami", "Tsunamis reach Hawaii"),
            ("@tsunami", "津波警報"),
            ("@tsunami", "海嘯警報"),
            ("@tsunami", "Угроза цунами"),
            ("@tsunami", "Προειδοποίηση για τσουνάμι"),
            ("@tsunami", "تحذير من تسونامي"),
            ("@tsunami", "Alerta de maremoto"),
            ("@tsunami", "เตือนภัยสึนามิ"),
            ("@tsunami", "쓰나미 경보"),
            ("@tsunami", "Raz-de-marée aux Antilles"),
            ("@tsunami", "सुनामी की चेतावनी"),
            ("@tsunami", "Cảnh báo sóng thần"),
        ])
    func headlines(name: String, text: String) {
        #expect(WordSet.names.filter { KeywordFilter([$0]).matches(text) } == [name])
    }

    @Test(arguments: [
        "Election results in Chile", "Vulcan Centaur launches", "Volkan Demirel spielt", "Il vulcanizzatore",
        "Potresno svjedočanstvo", "Cutremurător mesaj", "海鮮が好き", "Wulkanizacja opon", "Queen speaks",
    ])
    func otherHeadlinesAreNotFound(text: String) {
        #expect(!KeywordFilter(WordSet.names).matches(text))
    }

    @Test func aSetStandsBesideWords() {
        let filter = KeywordFilter(["@tsunami", "flood*"])
        #expect(filter.words == ["@tsunami", "flood*"])
        #expect(filter.matches("津波") && filter.matches("Floods") && !filter.matches("地震"))
        #expect(filter.searchWords.isEmpty)
    }

    @Test func twoSignsMakeAWord() {
        let filter = KeywordFilter(["@@earthquake", "quake*"])
        #expect(filter.matches("by @earthquake") && !filter.matches("terremoto"))
        #expect(filter.searchWords == ["@earthquake", "quake*"])
    }
}
