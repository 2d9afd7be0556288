import Model
import Testing

@Suite struct CountingTests {
    @Test(
        arguments: [
            (0, "0 KiB"), (1023, "0 KiB"), (10_485_759, "10239 KiB"), (10_485_760, "10 MiB"), (1 << 30, "1024 MiB"),
            (10_737_418_239, "10239 MiB"), (10_737_418_240, "10 GiB"), (80_508_616_704, "74 GiB"),
        ] as [(Int64, String)])
    func sizesAreInTheLargestUnitOfWhichThereAreTen(bytes: Int64, words: String) {
        #expect(bytes.asSize() == words)
    }

    @Test func reasonsAreListedByName() {
        #expect(["keywords": 5, "expired": 20].reasons == "expired 20, keywords 5")
        #expect([String: Int]().reasons.isEmpty)
    }

    @Test func whatIsNeededIsRoundedUp() {
        #expect(Int64(1025).asSize(isRoundedUp: true) == "2 KiB")
        #expect(Int64(10_485_761).asSize(isRoundedUp: true) == "11 MiB")
    }
}
